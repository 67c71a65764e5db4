import {
  type Application,
  type ApplicationDraft,
  type ApplicationKind,
  callbacksOf,
  deleteApplication,
  findApplication,
  listApplications,
  registerApplication,
  rotateClientSecret,
  updateApplication,
} from '../../domain/oauth/applications.ts'
import { type Html, html } from '../../lib/html.ts'
import { csrfField } from '../csrf.ts'
import { confirmPage } from '../forms/confirm.ts'
import { alert, copyButton, type FieldErrorTexts, type FormErrors, field, textArea } from '../forms/field.ts'
import { type FormFields, formValue } from '../forms/form-fields.ts'
import { formPage } from '../forms/form-page.ts'
import { t } from '../i18n/t.ts'
import { backLink, emptyState } from '../layout/parts.ts'
import type { PageResult } from '../page.ts'
import { parseId, type SignedInRequest } from '../session.ts'

/** Lists the applications that the user registered. */
export async function showApplications(request: SignedInRequest): Promise<PageResult> {
  const applications = await listApplications(request.context)
  return request.render({
    title: t('Your applications'),
    beforeHeading: backLink('/account/keys/', t('API keys')),
    action: applications.length > 0 && html`<a class="button" href="${ROOT}new/">Register application</a>`,
    content: html`
      <p class="soft">
        Applications use OAuth 2.0 to act for other users. Each user signs in on this server and grants access, so the
        application does not receive a password. For your own account, use <a href="/account/keys/">an API key</a>.
        See <a href="/docs/v3/">the API reference</a>.
      </p>
      ${
        applications.length === 0
          ? emptyState(
              'keys',
              t('No applications yet'),
              t('Register an application to get its client ID and client secret.'),
              { path: `${ROOT}new/`, label: t('Register application') },
            )
          : html`<ul class="cards">
            ${applications.map(
              ({ id, name, homepage, clientId }) =>
                html`<li class="card">
                  <div class="line"><h2><a href="${ROOT}${id}/">${name}</a></h2></div>
                  <p class="soft address">${homepage}</p>
                  <p class="soft">Client ID <code>${clientId}</code></p>
                </li>`,
            )}
          </ul>`
      }`,
  })
}

const ROOT = '/accounts/developer/'
const linkToApplications = (): Html => backLink(ROOT, t('Your applications'))

interface ApplicationView {
  /** The new client secret. Present only in the reply to the request that created the secret. */
  secret?: string | undefined
  draft?: ApplicationDraft
  rejected?: FormErrors
}

const secretView = (secret: string): Html =>
  html`<div class="notice" role="status">
    <p>Copy the client secret now. You cannot see it again later.</p>
    <p class="copyable">
      <code class="secret" id="client-secret">${secret}</code> ${copyButton(
        'client-secret',
        t('Copy the client secret'),
      )}
    </p>
  </div>`

/**
 * Renders an application: its credentials, the endpoints, the form that edits it, and the link to the page that deletes
 * it.
 */
function applicationPage(request: SignedInRequest, application: Application, shown: ApplicationView = {}): PageResult {
  const { csrf, context } = request
  const { id, name, clientId, isPublic } = application
  const { baseUrl } = context.services
  return request.render({
    title: name,
    beforeHeading: linkToApplications(),
    scripts: ['copy.js'],
    content: html`
      ${shown.secret && secretView(shown.secret)}
      <section class="card" aria-labelledby="credentials">
        <h2 id="credentials">Credentials and endpoints</h2>
        <dl class="facts">
          <dt>Client ID</dt>
          <dd class="copyable">
            <code id="client-id">${clientId}</code> ${copyButton('client-id', t('Copy the client ID'))}
          </dd>
          <dt>Authorization endpoint</dt>
          <dd class="address"><code>${baseUrl}/accounts/developer/authorize/</code></dd>
          <dt>Token endpoint</dt>
          <dd class="address"><code>${baseUrl}/accounts/oauth/token/</code></dd>
          <dt>Revocation endpoint</dt>
          <dd class="address"><code>${baseUrl}/accounts/oauth/revoke/</code></dd>
        </dl>
        ${
          isPublic
            ? html`<p class="soft below">This application has no client secret. It must use PKCE (S256).</p>`
            : html`
              <p class="soft below">A new secret replaces the old one immediately. Existing tokens remain valid.</p>
              <p class="below"><a class="button plain" href="${ROOT}${id}/secret/">Replace secret…</a></p>`
        }
      </section>
      <section class="card" aria-labelledby="details">
        <h2 id="details">Details</h2>
        ${alert(shown.rejected?.general)}
        <form method="post" action="${ROOT}${id}/">
          ${csrfField(csrf)}
          ${fieldsView(shown.draft ?? draftOf(application), shown.rejected?.errors)}
          <button class="primary">Save</button>
        </form>
      </section>
      <section class="card" aria-labelledby="delete">
        <h2 id="delete">Delete application</h2>
        <p class="soft">
          If you delete the application, users can no longer authorize it, and all existing access is revoked
          immediately.
        </p>
        <p class="below"><a class="button plain danger" href="${ROOT}${id}/delete/">Delete…</a></p>
      </section>`,
  })
}

const applicationOf = ({ context, params }: SignedInRequest) => findApplication(context, parseId(params.id))

export const showApplication = async (request: SignedInRequest): Promise<PageResult> =>
  applicationPage(request, await applicationOf(request))

export async function saveApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  const application = await applicationOf(request)
  return formPage(request, {
    fields: FIELDS,
    act: (context) => updateApplication(context, application.id, draft),
    view: (rejected) => applicationPage(request, application, { draft, rejected }),
    done: () => ({ redirect: `${ROOT}${application.id}/`, flash: t('Application saved.') }),
  })
}

/** The names of the form fields. Each field is a property of a registered application (docs/specification.md 3.3). */
const FIELDS = ['name', 'homepage', 'callback', 'description'] as const

const parseApplication = (form: FormFields): ApplicationDraft => ({
  name: formValue(form, 'name') ?? '',
  homepage: formValue(form, 'homepage') ?? '',
  callback: formValue(form, 'callback') ?? '',
  description: formValue(form, 'description') ?? '',
})

const parseKind = (form: FormFields): ApplicationKind =>
  formValue(form, 'kind') === 'public' ? 'public' : 'confidential'

/** Returns the details of a registered application as its form shows them. */
const draftOf = (application: Application): ApplicationDraft => ({
  ...application,
  callback: callbacksOf(application).join('\n'),
})

/** Renders the choice of the kind of an application, which cannot be changed later. */
const kindView = (kind: ApplicationKind): Html =>
  html`<fieldset class="checks">
    <legend>Where does the application run?</legend>
    <label>
      <input type="radio" name="kind" value="confidential"${kind === 'confidential' && html` checked`}> <span>
        On a server that keeps a client secret
      </span>
    </label> <label>
      <input type="radio" name="kind" value="public"${kind === 'public' && html` checked`}> <span>
        In a browser, on a phone or on a user’s computer: without a secret, with PKCE
      </span>
    </label>
  </fieldset>`

/** Renders the fields of an application. */
const fieldsView = (draft: ApplicationDraft, errors: FieldErrorTexts | undefined): Html =>
  html`
    ${field({
      name: 'name',
      label: t('Application name'),
      value: draft.name,
      hint: t('Shown to users when the application asks for access.'),
      required: true,
      errors,
    })}
    ${field({
      name: 'homepage',
      label: t('Homepage URL'),
      value: draft.homepage,
      hint: t('A page that describes the application.'),
      required: true,
      errors,
    })}
    ${textArea({
      name: 'callback',
      label: t('Callback URL'),
      value: draft.callback,
      hint: t(
        'Users return here after authorization. Must be the same as the redirect_uri of the authorization request; for http://127.0.0.1 and http://[::1], any port is accepted. Enter each further URL on its own line.',
      ),
      rows: 3,
      errors,
    })}
    ${field({
      name: 'description',
      label: t('Description'),
      value: draft.description,
      hint: t('Optional. Describes what the application does with users’ data.'),
      errors,
    })}`

const EMPTY: ApplicationDraft = { name: '', homepage: '', callback: '', description: '' }

export const showNewApplication = async (request: SignedInRequest): Promise<PageResult> =>
  registrationPage(request, EMPTY, 'confidential')

function registrationPage(
  request: SignedInRequest,
  draft: ApplicationDraft,
  kind: ApplicationKind,
  rejected?: FormErrors,
): PageResult {
  return request.render({
    title: t('Register application'),
    beforeHeading: linkToApplications(),
    content: html`<section class="card">
      ${alert(rejected?.general)}
      <form method="post" action="${ROOT}">
        ${csrfField(request.csrf)}
        ${fieldsView(draft, rejected?.errors)}
        ${kindView(kind)}
        <button class="primary">Register</button>
      </form>
    </section>`,
  })
}

/**
 * Registers an application and shows its secret in the reply. No later page can show the secret, because only its hash
 * is stored.
 */
export async function submitNewApplication(request: SignedInRequest): Promise<PageResult> {
  const draft = parseApplication(request.form)
  const kind = parseKind(request.form)
  return formPage(request, {
    fields: FIELDS,
    act: (context) => registerApplication(context, draft, kind),
    view: (rejected) => registrationPage(request, draft, kind, rejected),
    done: ({ application, secret }) => applicationPage(request, application, { secret }),
  })
}

/** Asks for confirmation before the client secret is replaced. */
export async function confirmNewSecret(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: t('Replace the secret of “{name}”?', { name }),
    beforeHeading: backLink(`${ROOT}${id}/`, name),
    text: t(
      'The current secret stops working immediately. The application cannot get tokens until it uses the new secret. Existing tokens remain valid. You cannot undo this.',
    ),
    button: t('Replace secret'),
    cancel: { label: t('Cancel'), path: `${ROOT}${id}/` },
  })
}

/** Replaces the client secret and shows the new secret in the reply. */
export async function renewApplicationSecret(request: SignedInRequest): Promise<PageResult> {
  const secret = await request.write((context) => rotateClientSecret(context, parseId(request.params.id)))
  return applicationPage(request, await applicationOf(request), { secret })
}

/** Asks for confirmation before an application is deleted. */
export async function confirmDeleteApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  return confirmPage(request, {
    title: t('Delete “{name}”?', { name }),
    beforeHeading: backLink(`${ROOT}${id}/`, name),
    text: t(
      'Users can no longer authorize this application, and all existing access is revoked immediately. You cannot undo this.',
    ),
    button: t('Delete application'),
    cancel: { label: t('Cancel'), path: `${ROOT}${id}/` },
  })
}

export async function removeApplication(request: SignedInRequest): Promise<PageResult> {
  const { id, name } = await applicationOf(request)
  await request.write((context) => deleteApplication(context, id))
  request.flash(t('“{name}” deleted.', { name }))
  return { redirect: ROOT }
}
