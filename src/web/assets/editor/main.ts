// Replaces the text area that contains a structure with a code editor. The page also works without this script.
import { startEditor } from './editor.ts'

const form = document.querySelector<HTMLFormElement>('form#editor')
const textarea = form?.querySelector<HTMLTextAreaElement>('textarea#structure')
if (form && textarea) startEditor(form, textarea)
