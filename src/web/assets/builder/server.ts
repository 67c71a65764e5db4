import { pageText } from '../page-text.ts'
/** A page that the server sent as the reply to a form or a link. */
export interface Reply {
  page: Document
  /** The address after redirects. */
  url: URL
  ok: boolean
}

/** The session of the author has ended. */
class SignedOutError extends Error {}

/** Milliseconds until a request is given up. */
const TIMEOUT_MS = 30_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Sends requests one after the other, so that changes are applied in the order in which they were made.
 * @param path of a page; @param body the fields of a form; absent: the page is only read
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
  if (url.pathname.startsWith('/accounts/login/')) throw new SignedOutError()
  if (reply.status >= 500 || reply.status === 429) throw new Error(`status ${reply.status}`)
  const text = await reply.text()
  // Parsing a long survey, and showing it, are separate tasks, so that keys are not delayed.
  await nextTask()
  const page = new DOMParser().parseFromString(text, 'text/html')
  await nextTask()
  return { page, url, ok: reply.ok }
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve))

/** Gives all forms the token of a page against forged requests. The token changes when the author signs in again. */
export function renewToken({ page }: Reply): void {
  const token = page.querySelector<HTMLInputElement>('input[name=_csrf]')?.value
  if (token === undefined) return
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=_csrf]')) input.value = token
}

/** Returns why a request got no reply, as sentences. */
export const reasonOf = (error: unknown): string =>
  error instanceof SignedOutError
    ? pageText('You are signed out. Sign in again in another tab.')
    : pageText('The server cannot be reached, or is not available.')

/** Returns the fields of a form as they are sent, with the button that submits it. */
export function fieldsOf(form: HTMLFormElement, submitter?: HTMLElement | null): URLSearchParams {
  const fields = new URLSearchParams()
  // Images are uploaded when they are chosen.
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') fields.append(name, value)
  return fields
}
