import { EditorView } from '@codemirror/view'
import { watchFaults } from './check.ts'
import { keepCursor } from './cursor.ts'
import { keepText } from './draft-storage.ts'
import { dressed } from './extensions.ts'
import { livePreview } from './preview.ts'
import { pageEntryAt } from './text-range.ts'

const KEYS = ' Ctrl+Space offers what may stand there. Tab indents; Escape, then Tab, leaves the text. Ctrl+S saves.'

/** Puts the editor in the place of a text, in the form that saves it. */
export function startEditing(form: HTMLFormElement, textarea: HTMLTextAreaElement): void {
  const { check = '', preview = '', nonce = '' } = form.dataset
  // A text that was refused comes back with the page.
  const changed = document.querySelector('#errors:not([hidden]), #conflict') !== null
  const entry = () => pageEntryAt(view.state.doc.toString(), view.state.selection.main.head)
  const errors = watchFaults(form, check, changed, () => live.refresh())
  const live = livePreview(form, preview, () => view.state.doc.toString(), entry, errors.none)
  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      dressed(() => form.requestSubmit(form.querySelector<HTMLButtonElement>('button.primary'))),
      errors.extension,
      EditorView.updateListener.of(({ selectionSet, docChanged }) => {
        if (selectionSet && !docChanged) live.follow()
      }),
    ],
  })
  const left = keepText(form, view, changed)
  textarea.before(...(left ? [left] : []), view.dom)
  view.dom.after(...errors.elements)
  textarea.hidden = true
  const keys = document.createElement('span')
  keys.className = 'keys'
  keys.textContent = KEYS
  document.querySelector('#structure-hint')?.append(keys)
  document.querySelector('#structure-label')?.addEventListener('click', () => view.focus())
  keepCursor(form, view)
  errors.look(view)
}
