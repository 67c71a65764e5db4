import type { SurveySettings } from '../../../src/domain/survey/settings.ts'
import { Visitor } from '../../support/http-browser.ts'
import type { IdentityProvider } from '../../support/identity.ts'
import { pageOf, sendForm, surveyOf, text } from '../../support/surveys.ts'
import type { World } from '../../support/world.ts'

/** Two pages with a secret question each. */
export const members = {
  title: 'Members',
  form: [pageOf(text('a', { required: true })), pageOf(text('b'))],
}

/** A survey whose respondents sign in at an identity system, set up as its owner does it. */
export async function membersSurvey(world: World, identity: IdentityProvider, settings: Partial<SurveySettings> = {}) {
  const owner = await world.person()
  const { survey, path } = await surveyOf(world, owner, members, settings)
  const reply = await owner.put(`/api/v3/surveys/${survey.id}/settings/`, {
    json: {
      custom_authentication: {
        enabled: true,
        endpoint_uri: identity.endpoint,
        client_secret: identity.clientSecret,
      },
    },
  })
  if (reply.status !== 200) throw new Error(reply.text)
  identity.redirectUris.push(`${world.base}${path}sign-in/`)
  return { owner, survey, path }
}

/** A page as somebody without scripts sees it. */
export type Seen = Awaited<ReturnType<Visitor['get']>> & { steps: string[] }

/** A respondent with a browser without scripts, which goes wherever it is sent. */
export class Respondent extends Visitor {
  /** Opens an address of ours; `steps` are the addresses on the way. */
  async open(path: string): Promise<Seen> {
    return this.onwards(await this.get(path))
  }

  /** Sends the form of a page. */
  async fill(page: Seen, answers: Record<string, string> = {}): Promise<Seen> {
    const post = (path: string, { form }: { form: [string, string][] }) => this.post(path, Object.fromEntries(form))
    return this.onwards(await sendForm({ post, get: (path) => this.get(path) }, page, answers))
  }

  private async onwards(first: Omit<Seen, 'steps'>): Promise<Seen> {
    const steps: string[] = []
    let page = first
    while (page.to) {
      const address = new URL(page.to, this.base)
      steps.push(address.origin === this.base ? address.pathname + address.search : address.href)
      if (steps.length > 20) throw new Error(`round and round: ${steps.join(' ')}`)
      page = address.origin === this.base ? await this.get(page.to) : await elsewhere(address)
    }
    return { ...page, steps }
  }
}

async function elsewhere(address: URL): Promise<Omit<Seen, 'steps'>> {
  const response = await fetch(address, { redirect: 'manual' })
  const { status, headers } = response
  return { status, headers, text: await response.text(), to: headers.get('location') }
}
