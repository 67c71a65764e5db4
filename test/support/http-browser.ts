import { assertMatchesOAuthContract } from './oauth-contract.ts'
import type { Person, World } from './world.ts'

/** A browser without scripts: stores cookies, submits forms with their CSRF token, and does not follow redirects. */
export class HttpBrowser {
  readonly cookies = new Map<string, string>()
  readonly base: string
  /** The CSRF token of the last page that had one. */
  csrf = ''

  constructor(base: string) {
    this.base = base
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(path: string, headers: Record<string, string> = {}) {
    return this.send(path, { headers })
  }

  /**
   * Submits a form as a page of this site does. If the fields lack `_csrf`, the form gets the token of the last page.
   */
  async post(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    headers: Record<string, string> = {},
  ) {
    const body = new URLSearchParams(fields)
    if (this.csrf && !body.has('_csrf')) body.set('_csrf', this.csrf)
    return this.send(path, { method: 'POST', body, headers: { origin: this.base, ...headers } })
  }

  /** Submits a form with a file in the field `file`. */
  async upload(path: string, file: string | Buffer<ArrayBuffer>) {
    return this.multipart(path, { file: new File([file], 'file.csv', { type: 'text/csv' }) })
  }

  /** Submits a form with files. */
  async multipart(path: string, fields: Record<string, string | File>) {
    const body = new FormData()
    for (const [name, value] of Object.entries({ _csrf: this.csrf, ...fields })) body.set(name, value)
    return this.send(path, { method: 'POST', body, headers: { origin: this.base } })
  }

  /** Submits the sign-in form, and opens the account page. @returns the reply to the form */
  async signIn(username: string, password: string) {
    const reply = await this.post('/accounts/login/', { username, password })
    await this.get('/account/')
    return reply
  }

  private async send(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = this.cookieHeader
    const url = new URL(path, this.base)
    const response = await fetch(url, {
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
    assertMatchesOAuthContract(init.method ?? 'GET', url, response, text)
    this.csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf
    return { status: response.status, headers: response.headers, text, to: response.headers.get('location') }
  }
}

/** Signs in as an account. @returns a browser with the session */
export async function signInAs({ base, actor, password }: Person): Promise<HttpBrowser> {
  const browser = new HttpBrowser(base)
  await browser.signIn(actor.username, password)
  return browser
}

/** Creates an account and signs in as it. */
export async function signInAsNewUser(world: World): Promise<{ person: Person; browser: HttpBrowser }> {
  const person = await world.person()
  return { person, browser: await signInAs(person) }
}
