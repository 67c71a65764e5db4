import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'

/**
 * Uses a token that somebody else has made and that works once. Call it inside the transaction of the act, after every
 * check of the token, so that strangers cannot fill the table.
 * @param token identifies the token and its kind
 * @param expiresAt when the token is no longer valid, so that it need not be remembered
 * @returns whether this is the first use
 */
export async function useOnce({ em, services }: PublicContext, token: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await em
    .getKysely<Tables>()
    .insertInto('used_token')
    .values({ hash: digest(services.secretKey, `used token ${token}`), expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
