import { requestPasswordReset, resetPassword } from '../../../domain/account/change-password.ts'
import { findOneTimeToken } from '../../../domain/account/one-time-token.ts'
import { hasAuthorizedApps } from '../../../domain/oauth/authorized-apps.ts'
import { Problem } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { keepApplicationsField, keepsApplications } from '../account/authorized-apps.ts'

const HERE = '/accounts/password/'

/** Returns the page that is shown instead of the form if no mail server is configured. */
const noMail = (): PageResult => ({
  status: 503,
  page: authPage(
    t('This server cannot send email'),
    html`
      <p>
        You cannot reset your password by email because no mail server is configured. Ask the administrator of this
        server to set a new password.
      </p>
      <p class="soft">Command for administrators: <code>canvass password USERNAME</code></p>
      <p class="below"><a class="button" href="/accounts/login/">Back to sign in</a></p>`,
  ),
})

/** Shows the form that requests a reset link. */
export async function showForgotPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  if (!request.context.services.deliversMail) return noMail()
  return {
    page: authPage(
      t('Reset your password'),
      html`
        <p class="soft">We will email you a link to set a new password.</p>
        <form method="post" action="${HERE}">
          ${field({
            name: 'username',
            label: t('Username or email address'),
            autocomplete: 'username',
            required: true,
          })}
          <div class="actions"><button class="primary">Send reset link</button></div>
        </form>`,
    ),
  }
}

/** Sends a reset link. The reply does not reveal whether the account exists. */
export async function submitForgotPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  if (!context.services.deliversMail) return noMail()
  if (!isSameOrigin(ctx, context.services)) return { redirect: HERE }
  const name = (formValue(await request.form(), 'username') ?? '').trim()
  await requestPasswordReset(context, name)
  return {
    page: authPage(
      t('Check your email'),
      html`<p>
        If the account exists, we have sent a reset link to its email address. You can use the link once. It expires
        after 1 hour.
      </p>`,
    ),
  }
}

/**
 * Renders the form for a new password.
 * @param checkbox whether the checkbox for connected applications is shown, and whether it is ticked
 */
const newPasswordView = (key: string, checkbox: { shown: boolean; ticked?: boolean }, errors?: FieldErrorTexts): Html =>
  authPage(
    t('Set a new password'),
    html`<form method="post" action="${HERE}new/">
      <input type="hidden" name="key" value="${key}">
      ${field({
        name: 'password',
        label: t('New password'),
        type: 'password',
        hint: t('At least 8 characters.'),
        autocomplete: 'new-password',
        required: true,
        ...(errors && { errors }),
      })}
      ${checkbox.shown && keepApplicationsField(checkbox.ticked)}
      <div class="actions"><button class="primary">Save password</button></div>
    </form>`,
  )

const invalidLink = (): PageResult => ({
  status: 410,
  page: authPage(
    t('This link is no longer valid'),
    html`
      <p>A reset link can be used once and expires after 1 hour.</p>
      <p><a class="button" href="${HERE}">Request a new link</a></p>`,
  ),
})

/** Shows the form to which a reset link leads. Opening the link does not invalidate it. */
export async function showNewPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { context, query } = request
  const key = query.get('key') ?? ''
  const link = await findOneTimeToken(context, 'password', key)
  return link
    ? { page: newPasswordView(key, { shown: await hasAuthorizedApps(context, link.accountId) }) }
    : invalidLink()
}

export async function submitNewPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const form = await request.form()
  const key = formValue(form, 'key') ?? ''
  if (!isSameOrigin(ctx, context.services)) return invalidLink()
  const newPassword = formValue(form, 'password') ?? ''
  const keep = { applications: keepsApplications(form) }
  try {
    await context.em.transactional((em) => resetPassword({ ...context, em }, key, newPassword, keep))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const link = await findOneTimeToken(context, 'password', key)
    if (error.code === 'link_expired' || !link) return invalidLink()
    const checkbox = { shown: await hasAuthorizedApps(context, link.accountId), ticked: keep.applications }
    return { status: 422, page: newPasswordView(key, checkbox, fieldErrorsOf(error, ['password']).errors) }
  }
  return {
    page: authPage(
      t('Password changed'),
      html`<p>You are signed out of all browsers.</p><p><a class="button" href="/accounts/login/">Sign in</a></p>`,
    ),
  }
}
