import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { syntaxErrorsOf, type TextError } from '../../../lib/json.ts'
import { pageText } from '../page-text.ts'
import { errorList } from './error-list.ts'

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

export interface ErrorWatcher {
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
