/** A browser without JavaScript. It stores cookies and does not follow redirects. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly base: string
  csrf = ''

  constructor(base: string) {
    this.base = base
  }

  async get(path: string, headers: Record<string, string> = {}) {
    return this.send(path, { headers })
  }

  /** Submits a form with the `_csrf` field of the last page, unless the fields contain it. */
  async post(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    headers: Record<string, string> = {},
  ) {
    const entries = Array.isArray(fields) ? fields : Object.entries(fields)
    const addsToken = this.csrf && !entries.some(([name]) => name === '_csrf')
    const body = new URLSearchParams(entries)
    if (addsToken) body.set('_csrf', this.csrf)
    return this.send(path, { method: 'POST', body, headers: { origin: this.base, ...headers } })
  }

  /** Submits a form with a file in the field `file`. */
  async upload(path: string, file: string) {
    const body = new FormData()
    body.set('_csrf', this.csrf)
    body.set('file', new Blob([file], { type: 'text/csv' }), 'file.csv')
    return this.send(path, { method: 'POST', body, headers: { origin: this.base } })
  }

  async signIn(username: string, password: string) {
    const reply = await this.post('/accounts/login/', { username, password })
    await this.get('/account/')
    return reply
  }

  private async send(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.base), {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, ...(cookie && { cookie }) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value && !/expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.set(name!, value)
      else this.cookies.delete(name!)
    }
    const text = await response.text()
    this.csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf
    return { status: response.status, headers: response.headers, text, to: response.headers.get('location') }
  }
}
