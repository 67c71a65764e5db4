import { EditorView } from '@codemirror/view'
import type { TextFault } from '../../../lib/json-syntax.ts'

export interface FaultList {
  elements: HTMLElement[]
  /** @param remarks what does not keep the text from being saved */
  show(
    view: EditorView,
    faults: readonly (TextFault & { pointer?: string })[],
    remarks: readonly (TextFault & { pointer?: string })[],
  ): void
  /** Something else than faults to be told. */
  say(text: string): void
  /** Somebody has saved another version since this one was opened. */
  warn(version: number): void
}

const MOST_SHOWN = 20

/** What is wrong in words below the editor, each a button that leads to its line; the number is told to screen readers. */
export function faultList(form: HTMLFormElement): FaultList {
  const box = form.querySelector<HTMLElement>('#faults') ?? document.createElement('div')
  box.removeAttribute('role')
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
    show: (view, faults, remarks) => {
      state.textContent = sentence(faults, remarks) + (refused && faults.length > 0 ? ' Nothing was saved.' : '')
      refused = false
      box.hidden = faults.length === 0
      list.replaceChildren(...[...faults, ...remarks].slice(0, MOST_SHOWN).map((fault) => itemOf(view, fault)))
      box.replaceChildren(list)
    },
  }
}

function sentence({ length }: readonly TextFault[], [remark]: readonly TextFault[]): string {
  if (length > 0) return length === 1 ? 'One thing is wrong.' : `${length} things are wrong.`
  return remark ? `Nothing is wrong, but look at line ${remark.line}: ${remark.message}` : 'Nothing is wrong.'
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
