/** A page that the server sent as the reply to a form or a link. */
export interface Reply {
  page: Document
  /** The address after redirects. */
  url: URL
  ok: boolean
}

/** Milliseconds until a request is given up. */
const TIMEOUT_MS = 30_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Sends requests one after the other, so that changes are applied in the order in which they were made.
 * @param path of a page; @param body the fields of a form; absent: the page is only read
 * @throws if there is no reply
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
  // The session has ended.
  if (url.pathname.startsWith('/accounts/login/'))
    location.assign(`/accounts/login/?next=${encodeURIComponent(location.pathname)}`)
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  return { page, url, ok: reply.ok }
}

/** Returns the fields of a form as they are sent, with the button that submits it. */
export function fieldsOf(form: HTMLFormElement, submitter?: HTMLElement | null): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) fields.append(name, String(value))
  return fields
}
