// Puts an editor for structures in the place of the text on the page that has one. Without it the page works as well.
import { startEditing } from './editing.ts'

const form = document.querySelector<HTMLFormElement>('form#editor')
const textarea = form?.querySelector<HTMLTextAreaElement>('textarea#structure')
if (form && textarea) startEditing(form, textarea)
