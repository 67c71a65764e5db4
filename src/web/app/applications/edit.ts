import type { Application } from '../../../domain/oauth/application.ts'
import type { ApplicationDraft } from '../../../domain/oauth/application-draft.ts'
import { deleteApplication, rotateClientSecret, updateApplication } from '../../../domain/oauth/commands.ts'
import { findApplication } from '../../../domain/oauth/queries.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FieldErrorTexts, fieldErrorsOf } from '../../forms/field.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { FIELDS, fieldsView, parseApplication } from './form.ts'

const ROOT = '/accounts/developer/'
const above = html`<p class="back-link"><a href="${ROOT}">Your applications</a></p>`

interface Shown {
  /** Readable only now. */
  secret?: string
  draft?: ApplicationDraft
  refused?: { errors: FieldErrorTexts; general: string | undefined }
}

/** Shown where scripts run. */
const copyButton = (id: string, what: string): Html =>
  html`<button type="button" class="small" data-copy="${id}" aria-label="Copy the client ${what}" hidden>Copy</button>`

const secretView = (secret: string): Html =>
  html`<div class="notice" role="status"><p>Here is its client secret. It is shown only now, so keep it somewhere safe.</p><p class="kept"><code class="secret" id="client-secret">${secret}</code> ${copyButton('client-secret', 'secret')}</p></div>`

/** One application: how a program uses it, what is said of it, and the ways to end it. */
export function applicationPage(request: SignedInRequest, application: Application, shown: Shown = {}): PageResult {
  const { csrf, context } = request
  const { id, name, clientId } = application
  const { baseUrl } = context.services
  return request.render(
    {
      title: name,
      beforeHeading: above,
      scripts: ['copy.js'],
      content: html`${shown.secret && secretView(shown.secret)}
<section class="card" aria-labelledby="use"><h2 id="use">For the program</h2>
<dl class="facts"><dt>Client id</dt><dd class="kept"><code id="client-id">${clientId}</code> ${copyButton('client-id', 'id')}</dd>
<dt>Ask people at</dt><dd class="address"><code>${baseUrl}/accounts/developer/authorize/</code></dd>
<dt>Get tokens at</dt><dd class="address"><code>${baseUrl}/accounts/oauth/token/</code></dd>
<dt>End tokens at</dt><dd class="address"><code>${baseUrl}/accounts/oauth/revoke/</code></dd></dl>
<p class="soft below">With a new secret the old one stops working at once. Tokens that people gave it go on.</p>
<p class="below"><a class="button plain" href="${ROOT}${id}/secret/">Make a new secret…</a></p></section>
<section class="card" aria-labelledby="said"><h2 id="said">What people see</h2>${alert(shown.refused?.general)}<form method="post" action="${ROOT}${id}/">${csrfField(csrf)}
${fieldsView(shown.draft ?? application, shown.refused?.errors ?? new Map())}
<button class="primary">Save</button></form></section>
<section class="card" aria-labelledby="end"><h2 id="end">Delete it</h2><p class="soft">It can ask nobody any more, and everybody who let it in is rid of it at once.</p><p class="below"><a class="button plain" href="${ROOT}${id}/delete/">Delete…</a></p></section>`,
    },
    shown.refused ? 422 : 200,
  )
}

const applicationOf = ({ context, params }: SignedInRequest) => findApplication(context, parseId(params.id))

export const showApplication = async (request: SignedInRequest): Promise<PageResult> =>
  applicationPage(request, await applicationOf(request))

export async function saveApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  const application = await applicationOf(request)
  try {
    await request.write((context) => updateApplication(context, application.id, draft))
  } catch (error) {
    return applicationPage(request, application, { draft, refused: fieldErrorsOf(request.toProblem(error), FIELDS) })
  }
  request.flash('It is saved.')
  return { redirect: `${ROOT}${application.id}/` }
}

/** Asks before the program is cut off from getting tokens. */
export async function confirmNewSecret(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: `Make a new secret for “${name}”?`,
    beforeHeading: above,
    text: 'The secret that it has now stops working at once, and it gets no more tokens until it has the new one. Tokens that people gave it go on. Nobody can bring the old secret back.',
    button: 'Make a new secret',
    cancel: { label: 'Keep the old one', path: `${ROOT}${id}/` },
  })
}

/** Shown in the answer itself, as at the registration. */
export async function renewApplicationSecret(request: SignedInRequest): Promise<PageResult> {
  const secret = await request.write((context) => rotateClientSecret(context, parseId(request.params.id)))
  return applicationPage(request, await applicationOf(request), { secret })
}

/** Asks before people are cut off. */
export async function confirmDeleteApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: `Delete “${name}”?`,
    beforeHeading: above,
    text: 'It can ask nobody any more, and everybody who let it in is rid of it at once. Nobody can bring it back.',
    button: 'Delete for good',
    cancel: { label: 'Keep it', path: `${ROOT}${id}/` },
  })
}

export async function removeApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  await request.write((context) => deleteApplication(context, id))
  request.flash(`“${name}” is deleted.`)
  return { redirect: ROOT }
}
