import { HttpBrowser } from '../support/http-browser.ts'
import { submitForm } from '../support/surveys.ts'

type Page = Awaited<ReturnType<HttpBrowser['get']>>

/** A page, and the addresses of the redirects that led to it. */
export type OpenedPage = Page & { redirects: string[] }

const MAX_REDIRECTS = 20

/** The browser of a respondent, which follows redirects, also to other origins. */
export class RespondentBrowser extends HttpBrowser {
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
    while (page.to) {
      const address = new URL(page.to, this.base)
      const isOwn = address.origin === this.base
      redirects.push(isOwn ? address.pathname + address.search : address.href)
      if (redirects.length > MAX_REDIRECTS) throw new Error(`too many redirects: ${redirects.join(' ')}`)
      page = isOwn ? await this.get(page.to) : await openOtherOrigin(address)
    }
    return { ...page, redirects }
  }
}

async function openOtherOrigin(address: URL): Promise<Page> {
  const response = await fetch(address, { redirect: 'manual' })
  const { status, headers } = response
  return { status, headers, text: await response.text(), to: headers.get('location') }
}
