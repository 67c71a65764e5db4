import type { LogoutToken } from '../../lib/open-id.ts'
import { useOnce } from '../account/use-once.ts'
import type { PublicContext } from '../context.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
import type { SignInProvider } from './provider.ts'

/**
 * Ends the sessions that a verified logout token names: those of a session at the provider, or all of a person (OpenID
 * Connect Back-Channel Logout 1.0, 2.7). Call it inside a transaction.
 * @returns whether the token had not been used before
 */
export async function endProviderSessions(
  context: PublicContext,
  { id, issuer }: SignInProvider,
  { tokenId, subject, session, validMs }: LogoutToken,
): Promise<boolean> {
  const expiresAt = new Date(context.now.getTime() + validMs)
  if (!(await useOnce(context, `logout ${JSON.stringify([issuer, tokenId])}`, expiresAt))) return false
  let ending = context.em.getKysely<Tables>().deleteFrom('session').where('provider', '=', id)
  if (subject !== undefined) ending = ending.where('provider_subject', '=', subject)
  if (session !== undefined)
    ending = ending.where(({ eb, or }) => {
      const isNamed = eb('provider_session', '=', session)
      // A provider that does not name the session at the sign-in ends all sessions of the person.
      return subject === undefined ? isNamed : or([isNamed, eb('provider_session', 'is', null)])
    })
  const ended = await ending.returning('account_id').execute()
  const accounts = new Set(ended.map(({ account_id }) => account_id))
  for (const account of [...accounts].sort((a, b) => a - b))
    await recordSecurityEvent(context, account, 'provider_signed_out', { provider: id })
  return true
}
