import { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { draftKeeper } from './draft.ts'

/** Milliseconds without a key until a draft is kept. */
const PAUSE = 300

/**
 * Lets the form send what stands in the editor, asks before a page with unsaved changes is left, and brings back what
 * was written before and never saved.
 * @param changed whether the text already differs from what is stored
 * @returns what offers to bring a text back, to stand above the editor; nothing when there is none
 */
export function keepText(form: HTMLFormElement, view: EditorView, changed: boolean): HTMLElement | undefined {
  const text = () => view.state.doc.toString()
  const version = form.querySelector<HTMLInputElement>('input[name=version]')?.value ?? ''
  const drafts = draftKeeper(location.pathname, version)
  let unsaved = changed
  let leaving = false
  let timer: ReturnType<typeof setTimeout> | undefined
  form.addEventListener('formdata', ({ formData }) => formData.set('structure', text()))
  form.addEventListener('submit', ({ submitter }) => {
    leaving = !submitter?.hasAttribute('formaction')
    clearTimeout(timer)
    if (leaving) drafts.send(text())
  })
  addEventListener('pageshow', () => {
    leaving = false
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved && !leaving) event.preventDefault()
  })
  const left = changed ? undefined : drafts.left(text())
  if (left === undefined && !changed) drafts.forget()
  view.dispatch({
    effects: StateEffect.appendConfig.of(
      EditorView.updateListener.of(({ docChanged }) => {
        if (!docChanged) return
        unsaved = true
        clearTimeout(timer)
        timer = setTimeout(() => drafts.keep(text()), PAUSE)
      }),
    ),
  })
  if (left === undefined) return undefined
  return offer(
    () => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: left } })
      view.focus()
    },
    () => {
      drafts.forget()
      view.focus()
    },
  )
}

/** Asks whether a text that was left behind is wanted. */
function offer(take: () => void, drop: () => void): HTMLElement {
  const box = document.createElement('div')
  box.className = 'notice left'
  box.setAttribute('role', 'status')
  const words = document.createElement('p')
  words.textContent = 'You wrote something here that was not saved.'
  box.append(words)
  for (const [label, act] of [
    ['Bring it back', take],
    ['Forget it', drop],
  ] as const) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'small'
    button.textContent = label
    button.addEventListener('click', () => {
      box.remove()
      act()
    })
    box.append(button)
  }
  return box
}
