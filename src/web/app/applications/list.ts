import type { ApplicationDraft } from '../../../domain/oauth/application-draft.ts'
import { registerApplication } from '../../../domain/oauth/commands.ts'
import { listApplications } from '../../../domain/oauth/queries.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, fieldErrorsOf } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { applicationPage } from './edit.ts'
import { FIELDS, fieldsView, parseApplication } from './form.ts'

const ROOT = '/accounts/developer/'

/** The applications that somebody registered. */
export async function showApplications(request: SignedInRequest): Promise<PageResult> {
  const applications = await listApplications(request.context)
  return request.render({
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

export const showNewApplication = async (request: SignedInRequest): Promise<PageResult> =>
  registrationPage(request, EMPTY)

function registrationPage(
  request: SignedInRequest,
  draft: ApplicationDraft,
  refused?: { errors: FieldErrorTexts; general: string | undefined },
): PageResult {
  return request.render(
    {
      title: 'Register an application',
      beforeHeading: html`<p class="back-link"><a href="${ROOT}">Your applications</a></p>`,
      content: html`<section class="card">${alert(refused?.general)}<form method="post" action="${ROOT}">${csrfField(request.csrf)}
${fieldsView(draft, refused?.errors ?? new Map())}
<button class="primary">Register</button></form></section>`,
    },
    refused ? 422 : 200,
  )
}

/** The secret is in the answer to the form itself: it is kept nowhere that a redirect could fetch it from. */
export async function submitNewApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  try {
    const { application, secret } = await request.write((context) => registerApplication(context, draft))
    return applicationPage(request, application, { secret })
  } catch (error) {
    return registrationPage(request, draft, fieldErrorsOf(request.toProblem(error), FIELDS))
  }
}
