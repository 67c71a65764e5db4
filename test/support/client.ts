/** An answer, read to its end. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON, or undefined where the answer is none. Tests look into it freely; the contract has checked it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
  body: any
}

export interface Sent {
  /** Sent as application/json. */
  json?: unknown
  /** Sent as application/x-www-form-urlencoded. */
  form?: Record<string, string | number> | [string, string][]
  /** Sent as multipart/form-data. */
  multipart?: Record<string, string>
  /** Sent as it is. */
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

function payload({ json, form, multipart, body }: Sent): Pick<RequestInit, 'body' | 'headers'> {
  if (json !== undefined) return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  if (form) {
    const pairs: [string, string][] = Array.isArray(form)
      ? form
      : Object.entries(form).map(([name, value]) => [name, String(value)])
    return { body: new URLSearchParams(pairs), headers: {} }
  }
  if (multipart) {
    const data = new FormData()
    for (const [name, value] of Object.entries(multipart)) data.append(name, value)
    return { body: data, headers: {} }
  }
  return { body: body ?? null, headers: {} }
}

/** A caller of the API over real HTTP, as one user or as nobody. */
export class Client {
  readonly base: string
  readonly authorization: string | undefined

  constructor(base: string, authorization?: string) {
    this.base = base
    this.authorization = authorization
  }

  /** The same caller with other Basic credentials. */
  with(name: string, secret: string): Client {
    return new Client(this.base, `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`)
  }

  get = (path: string, sent: Sent = {}) => this.send('GET', path, sent)
  head = (path: string, sent: Sent = {}) => this.send('HEAD', path, sent)
  post = (path: string, sent: Sent = {}) => this.send('POST', path, sent)
  put = (path: string, sent: Sent = {}) => this.send('PUT', path, sent)
  delete = (path: string, sent: Sent = {}) => this.send('DELETE', path, sent)

  /** @param path below the server's address, or an absolute URL that an answer gave */
  async send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const { body, headers } = payload(sent)
    const response = await fetch(new URL(path, this.base), {
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
    const json = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const parsed = json ? JSON.parse(text) : undefined
    if (parsed?.code === 'contract_broken') throw new Error(`${method} ${path}: ${text}`)
    return { status: response.status, headers: response.headers, text, body: parsed }
  }
}
