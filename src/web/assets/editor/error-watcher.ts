import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { syntaxErrorsOf, type TextError } from '../../../lib/json.ts'
import { pageText } from '../page-text.ts'

/**
 * The checks begin when the author has stopped typing: first this script checks the syntax, then the server checks the
 * structure.
 */
const SYNTAX_CHECK_DELAY_MS = 150
const SERVER_CHECK_DELAY_MS = 500

/** Longer texts are sent to the server only when they are saved, to limit the load on the server. */
const MAX_CHECKED_CHARACTERS = 1_000_000

interface ServerError extends TextError {
  pointer?: string
}

interface ErrorWatcher {
  extension: Extension
  /** The elements to show below the editor. */
  elements: HTMLElement[]
  /** Returns whether the current text has been checked and is valid. */
  isValid(): boolean
  check(view: EditorView): void
}

/**
 * Marks errors in the text. This script finds the syntax errors. If there are none, the server finds all other errors,
 * with the same rules as when the text is saved.
 * @param changed whether the text differs from the stored text
 * @param onValid is called when a changed text has been checked and is valid
 */
export function watchErrors(
  form: HTMLFormElement,
  address: string,
  changed: boolean,
  onValid: () => void,
): ErrorWatcher {
  const list = errorList(form)
  const version = form.querySelector<HTMLInputElement>('input[name=version]')?.value
  let timer: ReturnType<typeof setTimeout> | undefined
  let request: AbortController | undefined
  let clean = true
  let first = true

  function show(view: EditorView, errors: readonly ServerError[], warnings: readonly ServerError[] = []): void {
    clean = errors.length === 0
    const end = view.state.doc.length
    const toDiagnostic = (severity: Diagnostic['severity']) => (error: ServerError) => ({
      from: Math.min(error.from, end),
      to: Math.min(error.to, end),
      severity,
      message: error.message,
    })
    const diagnostics = [...errors.map(toDiagnostic('error')), ...warnings.map(toDiagnostic('warning'))]
    view.dispatch(setDiagnostics(view.state, diagnostics))
    list.show(view, errors, warnings)
  }

  function check(view: EditorView): void {
    clearTimeout(timer)
    request?.abort()
    const text = view.state.doc.toString()
    const errors = syntaxErrorsOf(text)
    if (errors.length > 0) show(view, errors)
    else if (text.length > MAX_CHECKED_CHARACTERS)
      list.say(pageText('The structure is too long to check while you type. It is checked when you save.'))
    else timer = setTimeout(() => checkOnServer(view, text), first ? 0 : SERVER_CHECK_DELAY_MS - SYNTAX_CHECK_DELAY_MS)
  }

  async function checkOnServer(view: EditorView, text: string): Promise<void> {
    request = new AbortController()
    const body = new URLSearchParams({ _csrf: String(new FormData(form).get('_csrf')), structure: text })
    try {
      const reply = await fetch(address, { method: 'POST', body, signal: request.signal })
      if (reply.redirected || !reply.headers.get('content-type')?.startsWith('application/json'))
        return list.say(
          pageText(
            'You are signed out. Sign in on another tab, then return to this page. Your changes are still in the editor.',
          ),
        )
      const checked = (await reply.json()) as {
        errors: ServerError[]
        warnings: ServerError[]
        version: number
      }
      show(view, checked.errors, checked.warnings)
      if (String(checked.version) !== version) list.warn(checked.version)
      if (clean && (changed || !first)) onValid()
      first = false
    } catch (error) {
      if (!(error instanceof DOMException))
        list.say(pageText('The server is not responding. Your changes are still in the editor.'))
    }
  }

  return {
    elements: list.elements,
    isValid: () => clean,
    check,
    extension: EditorView.updateListener.of(({ view, docChanged }) => {
      if (!docChanged) return
      clean = false
      clearTimeout(timer)
      request?.abort()
      timer = setTimeout(() => check(view), SYNTAX_CHECK_DELAY_MS)
    }),
  }
}

interface ErrorList {
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
function errorList(form: HTMLFormElement): ErrorList {
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
