import { EditorView } from '@codemirror/view'
import type { TextFault } from '../../../lib/json-syntax.ts'

export interface FaultList {
  elements: HTMLElement[]
  /** @param warnings what does not keep the text from being saved */
  show(
    view: EditorView,
    errors: readonly (TextFault & { pointer?: string })[],
    warnings: readonly (TextFault & { pointer?: string })[],
  ): void
  /** Something else than errors to be told. */
  say(text: string): void
  /** Somebody has saved another version since this one was opened. */
  warn(version: number): void
}

const MOST_SHOWN = 20

/** What is wrong in words below the editor, each a button that leads to its line; the number is told to screen readers. */
export function faultList(form: HTMLFormElement): FaultList {
  const box = form.querySelector<HTMLElement>('#errors') ?? document.createElement('div')
  box.removeAttribute('role')
  form.querySelector('#warnings')?.remove()
  const state = element('p', 'soft state')
  state.setAttribute('role', 'status')
  const warning = element('p', 'notice')
  warning.setAttribute('role', 'status')
  warning.hidden = true
  const list = document.createElement('ul')
  // The page came back with a text that was refused: that is told until it is looked at again.
  let refused = !box.hidden && box.isConnected
  return {
    elements: [state, warning, box],
    say: (text) => {
      state.textContent = text
    },
    warn: (version) => {
      warning.hidden = false
      warning.textContent = `Version ${version} has been saved in the meantime. When you save, you will see what differs; nothing gets lost.`
    },
    show: (view, errors, warnings) => {
      state.textContent =
        sentence(errors.length, warnings.length) + (refused && errors.length > 0 ? ' Nothing was saved.' : '')
      refused = false
      box.hidden = errors.length + warnings.length === 0
      box.classList.toggle('summary', errors.length > 0)
      box.classList.toggle('notice', errors.length === 0)
      list.replaceChildren(...[...errors, ...warnings].slice(0, MOST_SHOWN).map((fault) => itemOf(view, fault)))
      box.replaceChildren(list)
    },
  }
}

/** Faults first: they keep the text from being saved, and warnings do not. */
function sentence(errors: number, warnings: number): string {
  const warned = warnings === 1 ? '1 warning' : `${warnings} warnings`
  if (errors > 0) return errors === 1 ? 'One thing is wrong.' : `${errors} things are wrong.`
  return warnings > 0 ? `${warned}. You can save all the same.` : 'Nothing is wrong.'
}

function itemOf(view: EditorView, { line, from, message, pointer }: TextFault & { pointer?: string }): HTMLElement {
  const item = document.createElement('li')
  const button = element('button', 'quiet small')
  button.setAttribute('type', 'button')
  button.textContent = `Line ${line}`
  button.addEventListener('click', () => {
    const at = Math.min(from, view.state.doc.length)
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    view.focus()
  })
  item.append(button)
  if (pointer) {
    const code = document.createElement('code')
    code.textContent = pointer
    item.append(' ', code)
  }
  item.append(` ${message}`)
  return item
}

function element(name: string, className: string): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  return made
}
