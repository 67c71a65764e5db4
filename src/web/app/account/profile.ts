import { findPendingEmail } from '../../../domain/account/email-change.ts'
import { changePassword } from '../../../domain/account/new-password.ts'
import { changeProfile } from '../../../domain/account/profile.ts'
import { endSessionById, endSessions, listSessions } from '../../../domain/account/session.ts'
import { listConnected } from '../../../domain/oauth/authorized-apps.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { alert, type Faults, faultsOf, field } from '../../forms/field.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { browserOf } from './browser.ts'
import { connectedSection } from './authorized-apps.ts'
import { deletionSection } from './delete.ts'
import { keepsApplications, keepView } from './keep-applications.ts'
import { securitySection } from './security.ts'

interface Refused {
  of: 'profile' | 'password'
  faults: Faults
  general: string | undefined
}

const when = (date: Date) =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`
const originOf = ({ ctx, context }: SignedIn) => ({
  ipAddress: ctx.ip,
  device: readCookie(ctx, context.site, 'device'),
})

export const showAccount = (visit: SignedIn): Promise<Answer> => accountPage(visit)

/** An address that is not the account's yet. */
const pendingView = (pending: string, current: string, csrf: string): Html =>
  html`<div class="notice"><p>Open the link that we sent to <strong>${pending}</strong> to confirm it. Until then ${current} stays your address.</p><form method="post" action="/account/email/cancel/">${csrfField(csrf)}<button class="small">Cancel the change</button></form></div>`

async function accountPage(visit: SignedIn, refused?: Refused): Promise<Answer> {
  const { context, csrf, session, form } = visit
  const sessions = await listSessions(context)
  const connected = await listConnected(context)
  const pending = await findPendingEmail(context)
  const of = (which: Refused['of']) => (refused?.of === which ? refused : undefined)
  const profile = of('profile')
  const password = of('password')
  const noFaults: Faults = new Map()
  const typed = (name: 'name' | 'email') => (profile ? (one(form, name) ?? '') : context.actor[name])
  return visit.show(
    {
      title: 'Account',
      content: html`<section class="card" aria-labelledby="profile"><h2 id="profile">Profile</h2><p class="soft">You sign in as <strong>${context.actor.username}</strong>.</p>
${pending && pendingView(pending, context.actor.email, csrf)}${alert(profile?.general)}<form method="post" action="/account/">${csrfField(csrf)}
${field({ name: 'name', label: 'Name', value: typed('name'), autocomplete: 'name', faults: profile?.faults ?? noFaults })}
${field({ name: 'email', label: 'E-mail', type: 'email', value: typed('email'), autocomplete: 'email', required: true, faults: profile?.faults ?? noFaults })}
${field({ name: 'current', label: 'Password', type: 'password', autocomplete: 'current-password', hint: 'Needed only to change the e-mail address. A new address has to be confirmed by a link that we send to it.', faults: profile?.faults ?? noFaults })}
<button class="primary">Save profile</button></form></section>
<section class="card" aria-labelledby="password-title"><h2 id="password-title">Password</h2><p class="soft">A new password signs you out everywhere else. <a href="/account/keys/">API keys</a> go on until you revoke them.</p>
${alert(password && ([...password.faults.values()].join(' ') || password.general))}<form method="post" action="/account/password/">${csrfField(csrf)}
<input type="hidden" name="username" autocomplete="username" value="${context.actor.username}">
<div class="field"><label for="old">Current password</label><input class="box" id="old" name="current" type="password" autocomplete="current-password" required></div>
<div class="field"><label for="new">New password</label><p class="hint" id="new-hint">At least 8 characters.</p><input class="box" id="new" name="password" type="password" autocomplete="new-password" required minlength="8" maxlength="256" aria-describedby="new-hint"></div>
${connected.length > 0 && keepView(password && keepsApplications(form))}
<button class="primary">Change password</button></form></section>
${connectedSection(connected, csrf)}
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2><ul class="rows">${sessions.map(
        ({ id, agent, ipAddress, seenAt }) =>
          html`<li><div><strong>${browserOf(agent)}</strong>${id === session.id && html` <span class="tag">this one</span>`}<p class="soft">${ipAddress}, last used ${when(seenAt)}</p></div>${
            id !== session.id &&
            html`<form method="post" action="/account/sessions/${id}/">${csrfField(csrf)}<button class="small" aria-label="Sign out ${browserOf(agent)}, ${ipAddress}">Sign out</button></form>`
          }</li>`,
      )}</ul>
<form method="post" action="/account/sessions/">${csrfField(csrf)}<button>Sign out everywhere</button></form></section>
${securitySection()}${deletionSection()}`,
    },
    refused ? 422 : 200,
  )
}

export async function saveProfile(visit: SignedIn): Promise<Answer> {
  const { form } = visit
  const change = {
    name: one(form, 'name') ?? '',
    email: one(form, 'email') ?? '',
    password: one(form, 'current') ?? '',
  }
  try {
    const pending = await visit.write((context) => changeProfile(context, change, originOf(visit)))
    visit.tell(
      pending
        ? `Your profile is saved. To confirm ${pending}, open the link that we sent to it.`
        : 'Your profile is saved.',
    )
  } catch (error) {
    return accountPage(visit, { of: 'profile', ...faultsOf(visit.known(error), ['name', 'email', 'current']) })
  }
  return { redirect: '/account/' }
}

export async function savePassword(visit: SignedIn): Promise<Answer> {
  const { form, session } = visit
  const change = { current: one(form, 'current') ?? '', wanted: one(form, 'password') ?? '' }
  try {
    const kept = { session: session.id, applications: keepsApplications(form) }
    await visit.write((context) => changePassword(context, change, kept, originOf(visit)))
  } catch (error) {
    const { faults, general } = faultsOf(error, ['current', 'password'])
    const told = new Map(
      [...faults].map(([name, text]) => [name, `${name === 'current' ? 'Current' : 'New'} password: ${text}`]),
    )
    return accountPage(visit, { of: 'password', faults: told, general })
  }
  visit.tell('Your password is changed. Everywhere else you are signed out.')
  return { redirect: '/account/' }
}

export async function endOneSession(visit: SignedIn): Promise<Answer> {
  await visit.write((context) => endSessionById(context, idIn(visit.params.id)))
  visit.tell('That browser is signed out.')
  return { redirect: '/account/' }
}

export async function endAllSessions({ ctx, context, write }: SignedIn): Promise<Answer> {
  await write((inside) => endSessions(inside, context.actor.id))
  setCookie(ctx, context.site, 'session', undefined)
  return { redirect: '/accounts/login/' }
}
