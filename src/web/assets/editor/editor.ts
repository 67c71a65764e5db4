import { EditorView } from '@codemirror/view'
import { getLocation } from 'jsonc-parser'
import { pageText } from '../page-text.ts'
import { watchErrors } from './error-watcher.ts'
import { editorExtensions } from './extensions.ts'
import { livePreview } from './preview.ts'
import { protectChanges } from './unsaved-changes.ts'

const SHORTCUTS = ` ${pageText(
  'Press Ctrl+Space for suggestions, Tab to indent, Escape then Tab to leave the editor, Ctrl+S to save the draft.',
)}`

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

interface Cursor {
  line: number
  column: number
  focused: boolean
}

/**
 * Restores the line of the cursor after the author saves, because saving reloads the page. Saving may also reformat the
 * text, so the restored position is approximate.
 */
function restoreCursor(form: HTMLFormElement, view: EditorView): void {
  const name = `cursor in ${location.pathname}`
  form.addEventListener('submit', ({ submitter }) => {
    if (submitter?.hasAttribute('formaction')) return
    const { head } = view.state.selection.main
    const { number, from } = view.state.doc.lineAt(head)
    // If the author saves with the keyboard shortcut, the focus stays in the text. If the author saves with the button,
    // the focus moves to the button.
    const focused = view.hasFocus
    try {
      sessionStorage.setItem(name, JSON.stringify({ line: number, column: head - from, focused } satisfies Cursor))
    } catch {
      // Without session storage the cursor starts at the top.
    }
  })
  try {
    const stored = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Cursor | null
    sessionStorage.removeItem(name)
    if (stored) moveTo(view, stored)
  } catch {
    // Without session storage the cursor starts at the top.
  }
}

function moveTo(view: EditorView, { line, column, focused }: Cursor): void {
  const { from, length } = view.state.doc.line(Math.min(line, view.state.doc.lines))
  view.dispatch({ selection: { anchor: from + Math.min(column, length) }, scrollIntoView: true })
  if (focused) view.focus()
}

/**
 * Returns the index of the entry at a position of the text. An entry is an item of the member `form` of the structure:
 * a page, or a question without a page. Returns undefined if the position is in no entry.
 */
function pageEntryAt(text: string, offset: number): number | undefined {
  const [member, entry] = getLocation(text, offset).path
  return member === 'form' && typeof entry === 'number' ? entry : undefined
}
