import { pageText } from '../page-text.ts'
/** A page that the server sent in reply to a submitted form or an opened link. */
export interface Reply {
  page: Document
  /** The address after redirects. */
  url: URL
  ok: boolean
}

/** Thrown if the session of the author has ended. */
class SignedOutError extends Error {}

/** Time in milliseconds after which a request without a reply is cancelled. */
const TIMEOUT_MS = 30_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Sends a request after all earlier requests are finished, so that changes are applied in the order in which they were
 * made.
 * @param path the path of a page
 * @param body the fields of a form; without them, the request is a GET
 * @throws if there is no reply, if the server is unavailable, or if the author is signed out
 */
export function request(path: string, body?: URLSearchParams): Promise<Reply> {
  const next = last.catch(() => undefined).then(() => send(path, body))
  last = next
  return next
}

async function send(path: string, body?: URLSearchParams): Promise<Reply> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const reply = await fetch(path, body ? { method: 'POST', body, signal } : { signal })
  const url = new URL(reply.url)
  if (url.pathname.endsWith('/accounts/login/')) throw new SignedOutError()
  if (reply.status >= 500 || reply.status === 429) throw new Error(`status ${reply.status}`)
  const text = await reply.text()
  // Parsing a long survey and showing it are separate tasks, so that the browser can handle key presses in between.
  await nextTask()
  const page = new DOMParser().parseFromString(text, 'text/html')
  await nextTask()
  return { page, url, ok: reply.ok }
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve))

/**
 * Returns the path and the query of this page, which name the cards that it shows of a large survey.
 * @param more additional parameters
 */
export function here(more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return location.pathname + (query.size > 0 ? `?${query}` : '')
}

/** Copies the CSRF token of a received page to all forms. The token changes when the author signs in again. */
export function renewToken({ page }: Reply): void {
  const token = page.querySelector<HTMLInputElement>('input[name=_csrf]')?.value
  if (token === undefined) return
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=_csrf]')) input.value = token
}

/** Returns sentences that explain why a request failed. */
export const reasonOf = (error: unknown): string =>
  error instanceof SignedOutError
    ? pageText('You are signed out. Sign in again in another tab.')
    : pageText('The server cannot be reached, or is not available.')

/** Returns the fields of a form as the browser would submit them, including the button that was pressed. */
export function fieldsOf(form: HTMLFormElement, submitter?: HTMLElement | null): URLSearchParams {
  const fields = new URLSearchParams()
  // Files are left out, because images are uploaded when the author chooses them.
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') fields.append(name, value)
  return fields
}
