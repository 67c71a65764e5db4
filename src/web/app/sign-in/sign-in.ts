import { authenticateByPassword, lockPasswordRow } from '../../../domain/account/credentials.ts'
import { issueDeviceToken } from '../../../domain/account/device-token.ts'
import { findOneTimeToken, redeemOneTimeToken } from '../../../domain/account/one-time-token.ts'
import { createSession, endSession, findSession } from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { Problem } from '../../../domain/problem.ts'
import { recordSecurityEvent } from '../../../domain/security/record.ts'
import { type Html, html } from '../../../lib/html.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin, safePath } from '../../csrf.ts'
import { alert, field } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { authPage } from '../../layout/auth-layout.ts'
import type { PageRequest, PageResult } from '../../page.ts'

/** Where a sign-in leads when nothing else was asked for. */
const HOME = '/account/surveys/'

const signInView = ({ name = '', next, refused }: { name?: string; next: string; refused?: string }): Html =>
  authPage(
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
  { ctx, context }: PageRequest,
  by: 'password' | 'link',
  prove: (context: PublicContext) => Promise<number>,
  next: string,
): Promise<PageResult> {
  const { services } = context
  const { accountId, token } = await context.em.transactional(async (em) => {
    const inside = { ...context, em }
    const accountId = await prove(inside)
    const old = readCookie(ctx, services, 'session')
    if (old) await endSession(inside, old)
    await recordSecurityEvent(inside, accountId, 'signed_in', { by })
    const origin = { agent: ctx.get('user-agent'), ipAddress: ctx.ip }
    return { accountId, token: await createSession(inside, accountId, origin) }
  })
  setCookie(ctx, services, 'session', token)
  setCookie(ctx, services, 'device', issueDeviceToken(services, accountId))
  return { redirect: next }
}

/** The form; or with a one-time key the way in (specification, "One-time login URL"). */
export async function showSignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context, query } = request
  const next = safePath(query.get('next') ?? undefined, context.services, HOME)
  const key = query.get('key')
  if (key) {
    // Those who only ask what is here use nothing up.
    if (ctx.method === 'HEAD') return { page: signInView({ next }) }
    if (isPrefetch(ctx)) return { status: 503, page: linkView(key, '/account/') }
    const beyond = safePath(query.get('next') ?? undefined, context.services, '/account/')
    const other = await signedInAsOther(request, key)
    return other ? { page: linkView(key, beyond, other) } : enterByLink(request, key, beyond)
  }
  const token = readCookie(ctx, context.services, 'session')
  if (token && (await findSession(context, token))) return { redirect: next }
  return { page: signInView({ next }) }
}

/** Whether a browser asks ahead of a visit that may never come: a link that works once is not for that. */
const isPrefetch = (ctx: PageRequest['ctx']): boolean =>
  [ctx.get('sec-purpose'), ctx.get('purpose'), ctx.get('x-moz')].some((purpose) => /\bprefetch\b/i.test(purpose))

/** The user name of somebody else than the link is for who is signed in here: nobody is moved to another account unasked. */
async function signedInAsOther({ ctx, context }: PageRequest, key: string): Promise<string | undefined> {
  const token = readCookie(ctx, context.services, 'session')
  const session = token ? await findSession(context, token) : undefined
  const link = session && (await findOneTimeToken(context, 'sign_in', key))
  return link && link.accountId !== session?.actor.id ? session?.actor.username : undefined
}

/** @param other who is signed in now */
const linkView = (key: string, next: string, other?: string): Html =>
  authPage(
    'Sign in',
    html`<p>This link signs you in${other !== undefined && html` to another account. You are signed in as <strong>${other}</strong> now`}.</p><form method="post" action="/accounts/login/"><input type="hidden" name="key" value="${key}"><input type="hidden" name="next" value="${next}">
<div class="actions"><button class="primary">Sign in</button>${other !== undefined && html`<a class="button plain" href="${HOME}">Stay signed in as ${other}</a>`}</div></form>`,
  )

async function enterByLink(request: PageRequest, key: string, next: string): Promise<PageResult> {
  try {
    return await enter(
      request,
      'link',
      async (inside) => (await redeemOneTimeToken(inside, 'sign_in', key)).accountId,
      next,
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      status: 410,
      page: authPage(
        'This link is used up',
        html`<p>${error.message} A link signs you in once, within ten minutes.</p><p><a class="button" href="/accounts/login/">Sign in with your password</a></p>`,
      ),
    }
  }
}

/** Somebody signs in with a password. */
export async function submitSignIn(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  const { ctx, context } = request
  const form = await request.form()
  const name = (formValue(form, 'username') ?? '').trim()
  const next = safePath(formValue(form, 'next'), context.services, HOME)
  const again = (status: number, refused: string) => ({ status, page: signInView({ name, next, refused }) })
  if (!isSameOrigin(ctx, context.services)) return again(403, 'Please sign in here, on our own page.')
  const key = formValue(form, 'key')
  if (key) return enterByLink(request, key, next)
  try {
    const origin = { ipAddress: ctx.ip, device: readCookie(ctx, context.services, 'device') }
    const proven = await authenticateByPassword(context, name, formValue(form, 'password') ?? '', origin)
    const hold = async (inside: PublicContext) => {
      await lockPasswordRow(inside, proven)
      return proven.actor.id
    }
    return await enter(request, 'password', hold, next)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
    return again(error.kind === 'too_many' ? 429 : 401, error.message)
  }
}
