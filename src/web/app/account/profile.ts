import { changePassword } from '../../../domain/account/change-password.ts'
import { changeProfile } from '../../../domain/account/commands.ts'
import { findPendingEmail } from '../../../domain/account/email-change.ts'
import { endSessionById, endSessions, listSessions } from '../../../domain/account/session.ts'
import { listAuthorizedApps } from '../../../domain/oauth/authorized-apps.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FieldErrorTexts, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { timeTag } from '../../layout/time-tag.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { authorizedAppsSection } from './authorized-apps.ts'
import { browserOf } from './browser-name.ts'
import { deletionSection } from './delete.ts'
import { keepApplicationsField, keepsApplications } from './keep-applications-field.ts'
import { localeSection, saveLocaleForm } from './locale.ts'
import { securitySection } from './security-log.ts'

interface RejectedForm extends FormErrors {
  of: 'profile' | 'password' | 'locale'
}

const originOf = ({ ctx, context }: SignedInRequest) => ({
  ipAddress: ctx.ip,
  device: readCookie(ctx, context.services, 'device'),
})

export const showAccount = (request: SignedInRequest): Promise<PageResult> => accountPage(request)

/** Renders a notice about an email address that is not confirmed yet. */
const pendingView = (pending: string, current: string, csrf: string): Html =>
  html`<div class="notice"><p>Open the link that we sent to <strong>${pending}</strong> to confirm the address. Until then, your email address is ${current}.</p><form method="post" action="/account/email/cancel/">${csrfField(csrf)}<button class="small">Cancel change</button></form></div>`

async function accountPage(request: SignedInRequest, rejected?: RejectedForm): Promise<PageResult> {
  const { context, csrf, session, form } = request
  const sessions = await listSessions(context)
  const connected = await listAuthorizedApps(context)
  const pending = await findPendingEmail(context)
  const rejectedForm = (which: RejectedForm['of']) => (rejected?.of === which ? rejected : undefined)
  const rejectedProfile = rejectedForm('profile')
  const rejectedPassword = rejectedForm('password')
  const noErrors: FieldErrorTexts = new Map()
  const fieldValue = (name: 'name' | 'email') => (rejectedProfile ? (formValue(form, name) ?? '') : context.actor[name])
  return request.render(
    {
      title: t('Account'),
      content: html`<section class="card" aria-labelledby="profile"><h2 id="profile">Profile</h2><p class="soft">Your username is <strong>${context.actor.username}</strong>.</p>
${pending && pendingView(pending, context.actor.email, csrf)}${alert(rejectedProfile?.general)}<form method="post" action="/account/">${csrfField(csrf)}
${field({ name: 'name', label: t('Name'), value: fieldValue('name'), autocomplete: 'name', errors: rejectedProfile?.errors ?? noErrors })}
${field({ name: 'email', label: t('Email address'), type: 'email', value: fieldValue('email'), autocomplete: 'email', required: true, errors: rejectedProfile?.errors ?? noErrors })}
${field({ name: 'current', label: t('Password'), type: 'password', autocomplete: 'current-password', hint: t('Required only if you change your email address. We send a confirmation link to the new address.'), errors: rejectedProfile?.errors ?? noErrors })}
<button class="primary">Save profile</button></form></section>
<section class="card" aria-labelledby="password-title"><h2 id="password-title">Password</h2><p class="soft">Changing your password signs you out of all other browsers. <a href="/account/keys/">API keys</a> keep working until you revoke them.</p>
${alert(rejectedPassword?.general)}<form method="post" action="/account/password/">${csrfField(csrf)}
<input type="hidden" name="username" autocomplete="username" value="${context.actor.username}">
${field({ id: 'current-password', name: 'current', label: t('Current password'), type: 'password', autocomplete: 'current-password', required: true, errors: rejectedPassword?.errors ?? noErrors })}
${field({ name: 'password', label: t('New password'), type: 'password', autocomplete: 'new-password', hint: t('At least 8 characters.'), attributes: html` minlength="8" maxlength="256"`, required: true, errors: rejectedPassword?.errors ?? noErrors })}
${connected.length > 0 && keepApplicationsField(rejectedPassword && keepsApplications(form))}
<button class="primary">Change password</button></form></section>
${localeSection(request, rejectedForm('locale'))}
${authorizedAppsSection(connected, csrf)}
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Active sessions</h2><ul class="rows">${sessions.map(
        ({ id, agent, ipAddress, seenAt }) =>
          html`<li><div><strong>${browserOf(agent)}</strong>${id === session.id && html` <span class="tag">this browser</span>`}<p class="soft">${ipAddress}, last active ${timeTag(seenAt)}</p></div>${
            id !== session.id &&
            html`<form method="post" action="/account/sessions/${id}/">${csrfField(csrf)}<button class="small" aria-label="Sign out ${browserOf(agent)}, ${ipAddress}">Sign out</button></form>`
          }</li>`,
      )}</ul>
<form method="post" action="/account/sessions/">${csrfField(csrf)}<button>Sign out everywhere</button></form></section>
<section class="card" aria-labelledby="theme"><h2 id="theme">Default theme of your surveys</h2><p class="soft">Choose the logo, colours, font and footer that your surveys have by default.</p><p class="below"><a class="button plain" href="/account/theme/">Change default theme</a></p></section>
${securitySection()}${deletionSection()}`,
    },
    rejected ? 422 : 200,
  )
}

export async function saveProfile(request: SignedInRequest): Promise<PageResult> {
  const { form } = request
  const change = {
    name: formValue(form, 'name') ?? '',
    email: formValue(form, 'email') ?? '',
    password: formValue(form, 'current') ?? '',
  }
  try {
    const pending = await request.write((context) => changeProfile(context, change, originOf(request)))
    request.flash(
      pending
        ? t('Profile saved. To confirm {pending}, open the link in the email we sent.', { pending })
        : t('Profile saved.'),
    )
  } catch (error) {
    return accountPage(request, {
      of: 'profile',
      ...fieldErrorsOf(request.toProblem(error), ['name', 'email', 'current']),
    })
  }
  return { redirect: '/account/' }
}

/** Saves the language and the time zone of the pages. */
export const saveLocale = (request: SignedInRequest): Promise<PageResult> =>
  saveLocaleForm(request, (rejected) => accountPage(request, { of: 'locale', ...rejected }))

export async function savePassword(request: SignedInRequest): Promise<PageResult> {
  const { form, session } = request
  const change = { current: formValue(form, 'current') ?? '', newPassword: formValue(form, 'password') ?? '' }
  try {
    const keep = { session: session.id, applications: keepsApplications(form) }
    await request.write((context) => changePassword(context, change, keep, originOf(request)))
  } catch (error) {
    return accountPage(request, { of: 'password', ...fieldErrorsOf(error, ['current', 'password']) })
  }
  request.flash(t('Password changed. You are signed out of all other browsers.'))
  return { redirect: '/account/' }
}

export async function signOutSession(request: SignedInRequest): Promise<PageResult> {
  await request.write((context) => endSessionById(context, parseId(request.params.id)))
  request.flash(t('Browser signed out.'))
  return { redirect: '/account/' }
}

export async function signOutEverywhere({ ctx, context, write }: SignedInRequest): Promise<PageResult> {
  await write((transaction) => endSessions(transaction, context.actor.id))
  setCookie(ctx, context.services, 'session', undefined)
  return { redirect: '/accounts/login/' }
}
