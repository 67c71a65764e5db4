import { findOneTimeToken } from '../../../domain/account/one-time-token.ts'
import { requestPasswordReset, resetPassword } from '../../../domain/account/password-reset.ts'
import { hasAuthorizedApps } from '../../../domain/oauth/authorized-apps.ts'
import { Problem } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { type FieldErrorTexts, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { authPage } from '../../layout/auth-layout.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { keepApplicationsField, keepsApplications } from '../account/keep-applications.ts'

const HERE = '/accounts/password/'

/** Shown instead of a promise that nobody could keep: mail of this server reaches no one. */
const noMail = (): PageResult => ({
  status: 503,
  page: authPage(
    'This server cannot send e-mail',
    html`<p>You cannot choose a new password by e-mail, because no mail server is configured. Ask whoever runs this server to set a new password for you.</p>
<p class="soft">On the server: <code>node src/main.ts password</code>, followed by the user name.</p><p class="below"><a class="button" href="/accounts/login/">Back to sign in</a></p>`,
  ),
})

/** Asks whose password is forgotten. */
export async function showForgotPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  if (!request.context.services.deliversMail) return noMail()
  return {
    page: authPage(
      'Forgotten password',
      html`<p class="soft">We mail you a link to choose a new one.</p><form method="post" action="${HERE}">
${field({ name: 'username', label: 'User name or e-mail', autocomplete: 'username', required: true })}
<div class="actions"><button class="primary">Mail me a link</button></div></form>`,
    ),
  }
}

/** The same answer whether there is such an account or not. */
export async function submitForgotPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  if (!context.services.deliversMail) return noMail()
  if (!isSameOrigin(ctx, context.services)) return { redirect: HERE }
  const name = (formValue(await request.form(), 'username') ?? '').trim()
  await requestPasswordReset(context, name)
  return {
    page: authPage(
      'Look into your mail',
      html`<p>If there is such an account, a link is on its way to its e-mail address. It works once, within one hour.</p>`,
    ),
  }
}

/** @param keep whether to ask what becomes of applications, and whether its box is ticked */
const choiceView = (key: string, keep: { asked: boolean; ticked?: boolean }, errors?: FieldErrorTexts): Html =>
  authPage(
    'Choose a new password',
    html`<form method="post" action="${HERE}new/"><input type="hidden" name="key" value="${key}">
${field({ name: 'password', label: 'New password', type: 'password', hint: 'At least 8 characters.', autocomplete: 'new-password', required: true, ...(errors && { errors }) })}
${keep.asked && keepApplicationsField(keep.ticked)}
<div class="actions"><button class="primary">Save password</button></div></form>`,
  )

const usedUp = (): PageResult => ({
  status: 410,
  page: authPage(
    'This link is used up',
    html`<p>It works once, within one hour.</p><p><a class="button" href="${HERE}">Ask for another</a></p>`,
  ),
})

/** Where the link in the mail leads; looking at it does not use it up. */
export async function showNewPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { context, query } = request
  const key = query.get('key') ?? ''
  const link = await findOneTimeToken(context, 'password', key)
  return link ? { page: choiceView(key, { asked: await hasAuthorizedApps(context, link.accountId) }) } : usedUp()
}

export async function submitNewPassword(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const form = await request.form()
  const key = formValue(form, 'key') ?? ''
  if (!isSameOrigin(ctx, context.services)) return usedUp()
  const wanted = formValue(form, 'password') ?? ''
  const kept = { applications: keepsApplications(form) }
  try {
    await context.em.transactional((em) => resetPassword({ ...context, em }, key, wanted, kept))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const link = await findOneTimeToken(context, 'password', key)
    if (error.code === 'link_expired' || !link) return usedUp()
    const keep = { asked: await hasAuthorizedApps(context, link.accountId), ticked: kept.applications }
    return { status: 422, page: choiceView(key, keep, fieldErrorsOf(error, ['password']).errors) }
  }
  return {
    page: authPage(
      'Your password is changed',
      html`<p>Everywhere you were signed in, you are signed out.</p><p><a class="button" href="/accounts/login/">Sign in</a></p>`,
    ),
  }
}
