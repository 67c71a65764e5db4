import { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Lets the form send what stands in the editor, and asks before a page with unsaved changes is left. */
export function keepText(form: HTMLFormElement, textarea: HTMLTextAreaElement, view: EditorView): void {
  // After a refused save the text differs from what is stored, whether it is touched again or not.
  let unsaved = form.querySelector('#faults:not([hidden])') !== null || document.querySelector('#conflict') !== null
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
