import { registerApplication } from '../../../domain/oauth/commands.ts'
import type { ApplicationDraft } from '../../../domain/oauth/draft.ts'
import { listApplications } from '../../../domain/oauth/queries.ts'
import { html } from '../../../lib/html.ts'
import { alert, type Faults, faultsOf } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import type { SignedIn } from '../../session.ts'
import type { Answer } from '../../page.ts'
import { applicationPage } from './edit.ts'
import { draftIn, FIELDS, fieldsView } from './form.ts'

const ROOT = '/accounts/developer/'

/** The applications that somebody registered. */
export async function showApplications(visit: SignedIn): Promise<Answer> {
  const applications = await listApplications(visit.context)
  return visit.show({
    title: 'Your applications',
    action: html`<a class="button" href="${ROOT}new/">Register an application</a>`,
    content: html`<p class="soft">An application acts for other people, when they let it: each of them signs in here and agrees, and it never sees a password. A program for yourself needs none of this: <a href="/account/keys/">an API key</a> is enough. How a program asks stands in <a href="/docs/v3/">the reference</a>.</p>
${
  applications.length === 0
    ? html`<p class="soft" role="status">You have registered none yet.</p>`
    : html`<ul class="cards">${applications.map(
        ({ id, name, homepage, clientId }) =>
          html`<li class="card"><div class="line"><h2><a href="${ROOT}${id}/">${name}</a></h2></div><p class="soft address">${homepage}</p><p class="soft">Client id <code>${clientId}</code></p></li>`,
      )}</ul>`
}`,
  })
}

const EMPTY: ApplicationDraft = { name: '', homepage: '', callback: '', description: '' }

export const showRegistration = async (visit: SignedIn): Promise<Answer> => registrationPage(visit, EMPTY)

function registrationPage(
  visit: SignedIn,
  draft: ApplicationDraft,
  refused?: { faults: Faults; general: string | undefined },
): Answer {
  return visit.show(
    {
      title: 'Register an application',
      above: html`<p class="crumb"><a href="${ROOT}">Your applications</a></p>`,
      content: html`<section class="card">${alert(refused?.general)}<form method="post" action="${ROOT}">${csrfField(visit.csrf)}
${fieldsView(draft, refused?.faults ?? new Map())}
<button class="primary">Register</button></form></section>`,
    },
    refused ? 422 : 200,
  )
}

/** The secret is in the answer to the form itself: it is kept nowhere that a redirect could fetch it from. */
export async function sendRegistration(visit: SignedIn): Promise<Answer> {
  const draft = draftIn(visit.form)
  try {
    const { application, secret } = await visit.write((context) => registerApplication(context, draft))
    return applicationPage(visit, application, { secret })
  } catch (error) {
    return registrationPage(visit, draft, faultsOf(visit.known(error), FIELDS))
  }
}
