import { EditorView } from '@codemirror/view'
import type { TextError } from '../../../lib/json.ts'
import { pageText } from '../page-text.ts'

export interface ErrorList {
  elements: HTMLElement[]
  /** @param warnings probable mistakes, which do not prevent saving */
  show(
    view: EditorView,
    errors: readonly (TextError & { pointer?: string })[],
    warnings: readonly (TextError & { pointer?: string })[],
  ): void
  /** Shows a message instead of the number of errors. */
  say(text: string): void
  /** Warns that someone else has saved a new version. */
  warn(version: number): void
}

const MAX_SHOWN_ERRORS = 20

/**
 * Lists the errors below the editor. Each error has a button that moves the cursor to its line. Screen readers announce
 * the number of errors.
 */
export function errorList(form: HTMLFormElement): ErrorList {
  const box = form.querySelector<HTMLElement>('#errors') ?? document.createElement('div')
  box.removeAttribute('role')
  form.querySelector('#warnings')?.remove()
  const state = element('p', 'soft state')
  state.setAttribute('role', 'status')
  const warning = element('p', 'notice')
  warning.setAttribute('role', 'status')
  warning.hidden = true
  const list = document.createElement('ul')
  // After a rejected save, the message includes “Nothing was saved.” until the next check.
  let rejected = !box.hidden && box.isConnected
  return {
    elements: [state, warning, box],
    say: (text) => {
      state.textContent = text
    },
    warn: (version) => {
      warning.hidden = false
      warning.textContent = pageText(
        'Someone else has saved version {version}. When you save, you can compare it with your version first.',
        { version },
      )
    },
    show: (view, errors, warnings) => {
      state.textContent =
        summaryOf(errors.length, warnings.length) +
        (rejected && errors.length > 0 ? ` ${pageText('Nothing was saved.')}` : '')
      rejected = false
      box.hidden = errors.length + warnings.length === 0
      box.classList.toggle('summary', errors.length > 0)
      box.classList.toggle('notice', errors.length === 0)
      list.replaceChildren(...[...errors, ...warnings].slice(0, MAX_SHOWN_ERRORS).map((error) => itemOf(view, error)))
      box.replaceChildren(list)
    },
  }
}

/** Returns a text with the number of errors, or with the number of warnings if there are no errors. */
function summaryOf(errors: number, warnings: number): string {
  if (errors > 0)
    return errors === 1 ? pageText('1 error found.') : pageText('{count} errors found.', { count: errors })
  if (warnings === 0) return pageText('No errors found.')
  return warnings === 1
    ? pageText('1 warning found. You can still save.')
    : pageText('{count} warnings found. You can still save.', { count: warnings })
}

function itemOf(view: EditorView, { line, from, message, pointer }: TextError & { pointer?: string }): HTMLElement {
  const item = document.createElement('li')
  const button = element('button', 'quiet small')
  button.setAttribute('type', 'button')
  button.textContent = pageText('Line {line}', { line })
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
  const created = document.createElement(name)
  created.className = className
  return created
}
