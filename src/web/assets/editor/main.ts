// Replaces the text area of a structure with a code editor. The page works without the editor.
import { startEditor } from './editor.ts'

const form = document.querySelector<HTMLFormElement>('form#editor')
const textarea = form?.querySelector<HTMLTextAreaElement>('textarea#structure')
if (form && textarea) startEditor(form, textarea)
