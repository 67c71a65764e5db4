import { assertEnabled, hasSecondFactor, issueDeviceToken, passwordMark } from '../../../domain/account/credentials.ts'
import { createSession, endSession, type ProviderSignIn } from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { recordSecurityEvent } from '../../../domain/security/record.ts'
import { seal } from '../../../lib/secrets.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import type { PageRequest, PageResult } from '../../page.ts'

/** A sign-in that still needs the second factor, in an encrypted cookie. */
export interface HalfSignedIn {
  accountId: number
  /** The mark of the password with which the sign-in began. */
  mark: string | undefined
  next: string
  at: number
}
export const HALF_SIGNED_IN = 'sign-in without second factor'
export const CODE_PATH = '/accounts/login/code/'

/** The page that users see after they sign in, unless they requested another page. */
export const HOME = '/account/surveys/'

/**
 * Verifies the credentials, starts a session and ends the previous session of this browser. All these steps run in one
 * transaction. If the password is changed at the same time, either the new session is ended or the sign-in fails. If
 * the account has a second factor, a password or a link leads to the page that asks for it.
 */
export async function startSession(
  { ctx, context }: PageRequest,
  by: 'password' | 'code' | 'passkey' | 'link' | 'provider',
  verify: (context: PublicContext) => Promise<number>,
  next: string,
  provider?: ProviderSignIn,
): Promise<PageResult> {
  const { services } = context
  const { accountId, token, half } = await context.em.transactional(async (em) => {
    const transaction = { ...context, em }
    const accountId = await verify(transaction)
    await assertEnabled(transaction, accountId)
    if ((by === 'password' || by === 'link') && (await hasSecondFactor(transaction, accountId))) {
      const mark = await passwordMark(transaction, accountId)
      return { accountId, half: { accountId, mark, next, at: context.now.getTime() } satisfies HalfSignedIn }
    }
    const old = readCookie(ctx, services, 'session')
    if (old) await endSession(transaction, old)
    await recordSecurityEvent(transaction, accountId, 'signed_in', { by, ...(provider && { provider: provider.id }) })
    const origin = { agent: ctx.get('user-agent'), ipAddress: ctx.ip, provider }
    return { accountId, token: await createSession(transaction, accountId, origin) }
  })
  if (half) {
    setCookie(ctx, services, 'sign_in', seal(services.secretKey, HALF_SIGNED_IN, JSON.stringify(half)))
    return { redirect: CODE_PATH }
  }
  setCookie(ctx, services, 'session', token)
  setCookie(ctx, services, 'device', issueDeviceToken(services, accountId))
  return { redirect: next }
}
