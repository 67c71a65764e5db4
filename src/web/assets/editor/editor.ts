import { EditorView } from '@codemirror/view'
import { pageText } from '../page-text.ts'
import { restoreCursor } from './cursor.ts'
import { watchErrors } from './error-watcher.ts'
import { editorExtensions } from './extensions.ts'
import { pageEntryAt } from './page-entry.ts'
import { livePreview } from './preview.ts'
import { protectChanges } from './unsaved-changes.ts'

const SHORTCUTS = ` ${pageText('Press Ctrl+Space for suggestions, Tab to indent, Escape then Tab to leave the editor, Ctrl+S to save the draft.')}`

/** Replaces a text area with the code editor, inside the form that saves the text. */
export function startEditor(form: HTMLFormElement, textarea: HTMLTextAreaElement): void {
  const { check = '', preview = '', nonce = '' } = form.dataset
  // The page shows a rejected text again. Such a text differs from the stored text.
  const changed = document.querySelector('#errors:not([hidden]), #conflict') !== null
  const entry = () => pageEntryAt(view.state.doc.toString(), view.state.selection.main.head)
  const errors = watchErrors(form, check, changed, () => live.refresh())
  const live = livePreview(form, preview, () => view.state.doc.toString(), entry, errors.isValid)
  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      editorExtensions(() => form.requestSubmit(form.querySelector<HTMLButtonElement>('button.save-draft'))),
      errors.extension,
      EditorView.updateListener.of(({ selectionSet, docChanged }) => {
        if (selectionSet && !docChanged) live.follow()
      }),
    ],
  })
  const draftNotice = protectChanges(form, view, changed)
  textarea.before(...(draftNotice ? [draftNotice] : []), view.dom)
  view.dom.after(...errors.elements)
  textarea.hidden = true
  const keys = document.createElement('span')
  keys.className = 'keys'
  keys.textContent = SHORTCUTS
  document.querySelector('#structure-hint')?.append(keys)
  document.querySelector('#structure-label')?.addEventListener('click', () => view.focus())
  restoreCursor(form, view)
  errors.check(view)
}
