import type { EditorView } from '@codemirror/view'

interface Cursor {
  line: number
  column: number
  focused: boolean
}

/**
 * Restores the line of the cursor after the author saves, because saving reloads the page. Saving may also reformat the
 * text, so the restored position is approximate.
 */
export function restoreCursor(form: HTMLFormElement, view: EditorView): void {
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
