import type { EditorView } from '@codemirror/view'

interface Cursor {
  line: number
  column: number
  focused: boolean
}

/**
 * Saving loads the page anew: the cursor goes back to the line where it was. The text may have been brought into its
 * full form meanwhile, so a line is as near as it gets.
 */
export function keepCursor(form: HTMLFormElement, view: EditorView): void {
  const name = `cursor in ${location.pathname}`
  form.addEventListener('submit', ({ submitter }) => {
    if (submitter?.hasAttribute('formaction')) return
    const { head } = view.state.selection.main
    const { number, from } = view.state.doc.lineAt(head)
    // Saved by the button, one is done with the text; saved by the keys, one goes on.
    const focused = view.hasFocus
    try {
      sessionStorage.setItem(name, JSON.stringify({ line: number, column: head - from, focused } satisfies Cursor))
    } catch {
      // Without a place to keep it in, the cursor begins at the top.
    }
  })
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Cursor | null
    sessionStorage.removeItem(name)
    if (kept) put(view, kept)
  } catch {
    // The same.
  }
}

function put(view: EditorView, { line, column, focused }: Cursor): void {
  const { from, length } = view.state.doc.line(Math.min(line, view.state.doc.lines))
  view.dispatch({ selection: { anchor: from + Math.min(column, length) }, scrollIntoView: true })
  if (focused) view.focus()
}
