import { issueDeviceToken } from '../../../domain/account/credentials.ts'
import { createSession, endSession, type ProviderSignIn } from '../../../domain/account/session.ts'
import type { PublicContext } from '../../../domain/context.ts'
import { recordSecurityEvent } from '../../../domain/security/record.ts'
import { readCookie, setCookie } from '../../cookie.ts'
import type { PageRequest, PageResult } from '../../page.ts'

/** The page that users see after they sign in, unless they requested another page. */
export const HOME = '/account/surveys/'

/**
 * Verifies the credentials, starts a session and ends the previous session of this browser. All these steps run in one
 * transaction. If the password is changed at the same time, either the new session is ended or the sign-in fails.
 */
export async function startSession(
  { ctx, context }: PageRequest,
  by: 'password' | 'link' | 'provider',
  verify: (context: PublicContext) => Promise<number>,
  next: string,
  provider?: ProviderSignIn,
): Promise<PageResult> {
  const { services } = context
  const { accountId, token } = await context.em.transactional(async (em) => {
    const transaction = { ...context, em }
    const accountId = await verify(transaction)
    const old = readCookie(ctx, services, 'session')
    if (old) await endSession(transaction, old)
    await recordSecurityEvent(transaction, accountId, 'signed_in', { by, ...(provider && { provider: provider.id }) })
    const origin = { agent: ctx.get('user-agent'), ipAddress: ctx.ip, provider }
    return { accountId, token: await createSession(transaction, accountId, origin) }
  })
  setCookie(ctx, services, 'session', token)
  setCookie(ctx, services, 'device', issueDeviceToken(services, accountId))
  return { redirect: next }
}
