import { holdPassword, signInByPassword } from '../../../domain/account/credentials.ts'
import { issueDevice } from '../../../domain/account/device.ts'
import { findLink, redeemLink } from '../../../domain/account/one-time-token.ts'
import { endSession, findSession, openSession } from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem } from '../../../domain/problem.ts'
import { recordSecurityEvent } from '../../../domain/security/record.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { alert, field } from '../../forms/field.ts'
import { isSameOrigin, safePath } from '../../same-origin.ts'
import { doorPage } from '../../layout/app-shell.ts'
import { guard } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer, Visit } from '../../page.ts'

/** Where a sign-in leads when nothing else was asked for. */
const HOME = '/account/surveys/'

const signInView = ({ name = '', next, refused }: { name?: string; next: string; refused?: string }): Html =>
  doorPage(
    'Sign in',
    html`${alert(refused)}<form method="post" action="/accounts/login/"><input type="hidden" name="next" value="${next}">
${field({ name: 'username', label: 'User name or e-mail', value: name, autocomplete: 'username', required: true })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true })}
<button class="primary">Sign in</button></form><p class="below"><a href="/accounts/password/">Forgotten your password?</a></p>`,
  )

/**
 * Begins a session for somebody who proves who they are; one that this browser had is over. Proof and session are one
 * transaction: a password that is changed at this moment ends the session as well, or lets nobody in.
 */
async function enter(
  { ctx, context }: Visit,
  by: 'password' | 'link',
  prove: (context: PublicContext) => Promise<number>,
  next: string,
): Promise<Answer> {
  const { site } = context
  const { accountId, token } = await context.em.transactional(async (em) => {
    const inside = { ...context, em }
    const accountId = await prove(inside)
    const old = readCookie(ctx, site, 'session')
    if (old) await endSession(inside, old)
    await recordSecurityEvent(inside, accountId, 'signed_in', { by })
    const origin = { agent: ctx.get('user-agent'), ipAddress: ctx.ip }
    return { accountId, token: await openSession(inside, accountId, origin) }
  })
  setCookie(ctx, site, 'session', token)
  setCookie(ctx, site, 'device', issueDevice(site, accountId))
  return { redirect: next }
}

/** The form; or with a one-time key the way in (specification, "One-time login URL"). */
export async function showSignIn(visit: Visit): Promise<Answer> {
  guard(visit)
  const { ctx, context, query } = visit
  const next = safePath(query.get('next') ?? undefined, context.site, HOME)
  const key = query.get('key')
  if (key) {
    // Those who only ask what is here use nothing up.
    if (ctx.method === 'HEAD') return { page: signInView({ next }) }
    if (isPrefetch(ctx)) return { status: 503, page: linkView(key, '/account/') }
    const beyond = safePath(query.get('next') ?? undefined, context.site, '/account/')
    const other = await signedInAsOther(visit, key)
    return other ? { page: linkView(key, beyond, other) } : enterByLink(visit, key, beyond)
  }
  const token = readCookie(ctx, context.site, 'session')
  if (token && (await findSession(context, token))) return { redirect: next }
  return { page: signInView({ next }) }
}

/** Whether a browser asks ahead of a visit that may never come: a link that works once is not for that. */
const isPrefetch = (ctx: Visit['ctx']): boolean =>
  [ctx.get('sec-purpose'), ctx.get('purpose'), ctx.get('x-moz')].some((purpose) => /\bprefetch\b/i.test(purpose))

/** The user name of somebody else than the link is for who is signed in here: nobody is moved to another account unasked. */
async function signedInAsOther({ ctx, context }: Visit, key: string): Promise<string | undefined> {
  const token = readCookie(ctx, context.site, 'session')
  const session = token ? await findSession(context, token) : undefined
  const link = session && (await findLink(context, 'sign_in', key))
  return link && link.accountId !== session?.actor.id ? session?.actor.username : undefined
}

/** @param other who is signed in now */
const linkView = (key: string, next: string, other?: string): Html =>
  doorPage(
    'Sign in',
    html`<p>This link signs you in${other !== undefined && html` to another account. You are signed in as <strong>${other}</strong> now`}.</p><form method="post" action="/accounts/login/"><input type="hidden" name="key" value="${key}"><input type="hidden" name="next" value="${next}">
<div class="actions"><button class="primary">Sign in</button>${other !== undefined && html`<a class="button plain" href="${HOME}">Stay signed in as ${other}</a>`}</div></form>`,
  )

async function enterByLink(visit: Visit, key: string, next: string): Promise<Answer> {
  try {
    return await enter(visit, 'link', async (inside) => (await redeemLink(inside, 'sign_in', key)).accountId, next)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      status: 410,
      page: doorPage(
        'This link is used up',
        html`<p>${error.message} A link signs you in once, within ten minutes.</p><p><a class="button" href="/accounts/login/">Sign in with your password</a></p>`,
      ),
    }
  }
}

/** Somebody signs in with a password. */
export async function sendSignIn(visit: Visit): Promise<Answer> {
  guard(visit)
  const { ctx, context } = visit
  const form = await visit.form()
  const name = (one(form, 'username') ?? '').trim()
  const next = safePath(one(form, 'next'), context.site, HOME)
  const again = (status: number, refused: string) => ({ status, page: signInView({ name, next, refused }) })
  if (!isSameOrigin(ctx, context.site)) return again(403, 'Please sign in here, on our own page.')
  const key = one(form, 'key')
  if (key) return enterByLink(visit, key, next)
  try {
    const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.site, 'device') }
    const proven = await signInByPassword(context, name, one(form, 'password') ?? '', origin)
    const hold = async (inside: PublicContext) => {
      await holdPassword(inside, proven)
      return proven.actor.id
    }
    return await enter(visit, 'password', hold, next)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    return again(error.kind === 'too_many' ? 429 : 401, error.message)
  }
}
