import { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Lets the form send what stands in the editor, and asks before a page with unsaved changes is left.
 * @param changed whether the text already differs from what is stored
 */
export function keepText(
  form: HTMLFormElement,
  textarea: HTMLTextAreaElement,
  view: EditorView,
  changed: boolean,
): void {
  let unsaved = changed
  let leaving = false
  form.addEventListener('formdata', ({ formData }) => formData.set('structure', view.state.doc.toString()))
  form.addEventListener('submit', ({ submitter }) => {
    leaving = !submitter?.hasAttribute('formaction')
  })
  addEventListener('pageshow', () => {
    leaving = false
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved && !leaving) event.preventDefault()
  })
  view.dispatch({
    effects: StateEffect.appendConfig.of(
      EditorView.updateListener.of(({ docChanged }) => {
        if (!docChanged) return
        unsaved = true
        // A browser that comes back to the page puts it into the text again.
        textarea.value = view.state.doc.toString()
      }),
    ),
  })
}
