import { HttpBrowser } from '../support/http-browser.ts'
import { submitForm } from '../support/surveys.ts'

type Page = Awaited<ReturnType<HttpBrowser['get']>>

/** A page, and the addresses of the redirects that led to it. */
export type OpenedPage = Page & { redirects: string[] }

const MAX_REDIRECTS = 20

/** The browser of a respondent, which follows redirects, also to other origins. */
export class RespondentBrowser extends HttpBrowser {
  /** Browsers with the cookies of other origins. */
  private readonly others = new Map<string, HttpBrowser>()

  async open(path: string): Promise<OpenedPage> {
    return this.follow(await this.get(path))
  }

  /** Submits the form of a page. */
  async submit(page: OpenedPage, answers: Record<string, string> = {}): Promise<OpenedPage> {
    const post = (path: string, { form }: { form: [string, string][] }) => this.post(path, form)
    return this.follow(await submitForm({ post, get: (path) => this.get(path) }, page, answers))
  }

  private async follow(first: Page): Promise<OpenedPage> {
    const redirects: string[] = []
    let page = first
    let address = new URL(this.base)
    while (page.to) {
      address = new URL(page.to, address)
      const isOwn = address.origin === this.base
      redirects.push(isOwn ? address.pathname + address.search : address.href)
      if (redirects.length > MAX_REDIRECTS) throw new Error(`too many redirects: ${redirects.join(' ')}`)
      page = isOwn ? await this.get(address.href) : await this.browserFor(address.origin).get(address.href)
    }
    return { ...page, redirects }
  }

  private browserFor(origin: string): HttpBrowser {
    const browser = this.others.get(origin) ?? new HttpBrowser(origin)
    this.others.set(origin, browser)
    return browser
  }
}
