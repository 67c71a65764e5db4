import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { syntaxFaults, type TextFault } from '../../../lib/json-syntax.ts'
import { faultList } from './error-list.ts'

/** Milliseconds without a key until the syntax is looked at here, and until the server is asked. */
const AT_ONCE = 150
const SOON = 500

/** Longer texts are checked when they are saved: the server has others to serve. */
const LONGEST = 1_000_000

interface ServerFault extends TextFault {
  pointer?: string
}

export interface FaultWatch {
  extension: Extension
  /** What tells of the errors, to stand below the editor. */
  elements: HTMLElement[]
  /** Whether the text, as it is now, has been found right. */
  none(): boolean
  look(view: EditorView): void
}

/**
 * Marks what is wrong with the text: syntax at once, the rest when the server has checked it as saving would.
 * @param changed whether the text already differs from what is stored
 * @param right called when nothing is wrong with a text that has changed
 */
export function watchFaults(form: HTMLFormElement, address: string, changed: boolean, right: () => void): FaultWatch {
  const list = faultList(form)
  const version = form.querySelector<HTMLInputElement>('input[name=version]')?.value
  let timer: ReturnType<typeof setTimeout> | undefined
  let asking: AbortController | undefined
  let clean = true
  let first = true

  function show(view: EditorView, errors: readonly ServerFault[], warnings: readonly ServerFault[] = []): void {
    clean = errors.length === 0
    const end = view.state.doc.length
    const marked = (severity: Diagnostic['severity']) => (fault: ServerFault) => ({
      from: Math.min(fault.from, end),
      to: Math.min(fault.to, end),
      severity,
      message: fault.message,
    })
    const diagnostics = [...errors.map(marked('error')), ...warnings.map(marked('warning'))]
    view.dispatch(setDiagnostics(view.state, diagnostics))
    list.show(view, errors, warnings)
  }

  function look(view: EditorView): void {
    clearTimeout(timer)
    asking?.abort()
    const text = view.state.doc.toString()
    const errors = syntaxFaults(text)
    if (errors.length > 0) show(view, errors)
    else if (text.length > LONGEST) list.say('This is too long to be checked while you write. Saving checks it.')
    else timer = setTimeout(() => ask(view, text), first ? 0 : SOON - AT_ONCE)
  }

  async function ask(view: EditorView, text: string): Promise<void> {
    asking = new AbortController()
    const body = new URLSearchParams({ _csrf: String(new FormData(form).get('_csrf')), structure: text })
    try {
      const reply = await fetch(address, { method: 'POST', body, signal: asking.signal })
      if (reply.redirected || !reply.headers.get('content-type')?.startsWith('application/json'))
        return list.say('You are signed out. Sign in in another window, then go on here: what you wrote is kept.')
      const checked = (await reply.json()) as {
        errors: ServerFault[]
        warnings: ServerFault[]
        version: number
      }
      show(view, checked.errors, checked.warnings)
      if (String(checked.version) !== version) list.warn(checked.version)
      if (clean && (changed || !first)) right()
      first = false
    } catch (error) {
      if (!(error instanceof DOMException)) list.say('The server cannot be reached. What you wrote is kept here.')
    }
  }

  return {
    elements: list.elements,
    none: () => clean,
    look,
    extension: EditorView.updateListener.of(({ view, docChanged }) => {
      if (!docChanged) return
      clean = false
      clearTimeout(timer)
      asking?.abort()
      timer = setTimeout(() => look(view), AT_ONCE)
    }),
  }
}
