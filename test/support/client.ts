import { assertMatchesOAuthContract } from './oauth-contract.ts'

/** A complete reply. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON; undefined for other media types. The service has validated it against the contract. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
  body: any
}

export interface RequestOptions {
  /** Sent as application/json. */
  json?: unknown
  /** Sent as application/x-www-form-urlencoded. */
  form?: Record<string, string | number> | [string, string][]
  /** Sent as multipart/form-data. */
  multipart?: Record<string, string | File | (string | File)[]>
  /** Sent without encoding. */
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

function payload({ json, form, multipart, body }: RequestOptions): Pick<RequestInit, 'body' | 'headers'> {
  if (json !== undefined) return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  if (form) {
    const entries: [string, string][] = Array.isArray(form)
      ? form
      : Object.entries(form).map(([name, value]) => [name, String(value)])
    return { body: new URLSearchParams(entries), headers: {} }
  }
  if (multipart) {
    const data = new FormData()
    for (const [name, values] of Object.entries(multipart))
      for (const value of [values].flat()) data.append(name, value)
    return { body: data, headers: {} }
  }
  return { body: body ?? null, headers: {} }
}

/** Calls the service over HTTP, with or without credentials. */
export class Client {
  readonly base: string
  readonly authorization: string | undefined

  constructor(base: string, authorization?: string) {
    this.base = base
    this.authorization = authorization
  }

  /** Returns a client with other Basic credentials. */
  with(name: string, secret: string): Client {
    return new Client(this.base, `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`)
  }

  get = (path: string, sent: RequestOptions = {}) => this.send('GET', path, sent)
  head = (path: string, sent: RequestOptions = {}) => this.send('HEAD', path, sent)
  post = (path: string, sent: RequestOptions = {}) => this.send('POST', path, sent)
  put = (path: string, sent: RequestOptions = {}) => this.send('PUT', path, sent)
  delete = (path: string, sent: RequestOptions = {}) => this.send('DELETE', path, sent)

  /** Sends a request. @param path a path on the server, or an absolute URL from a reply */
  async send(method: string, path: string, sent: RequestOptions = {}): Promise<Reply> {
    const { body, headers } = payload(sent)
    const url = new URL(path, this.base)
    const response = await fetch(url, {
      method,
      body: body ?? null,
      redirect: 'manual',
      headers: {
        ...(this.authorization && { authorization: this.authorization }),
        ...(headers as Record<string, string>),
        ...sent.headers,
      },
    })
    const text = await response.text()
    assertMatchesOAuthContract(method, url, response, text)
    const json = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const parsed = json ? JSON.parse(text) : undefined
    if (parsed?.code === 'contract_broken') throw new Error(`${method} ${path}: ${text}`)
    return { status: response.status, headers: response.headers, text, body: parsed }
  }
}
