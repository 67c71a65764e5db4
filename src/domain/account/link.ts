import { randomBytes } from 'node:crypto'
import { digest } from '../../lib/token.ts'
import type { PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'

/** What a link lets its visitor do, once: sign in, or choose a new password. */
export type LinkPurpose = Tables['account_link']['purpose']

/** How long a link works, in milliseconds. */
const LIFETIME: Readonly<Record<LinkPurpose, number>> = { sign_in: 10 * 60_000, password: 60 * 60_000 }

const hashOf = ({ site }: PublicContext, purpose: LinkPurpose, key: string) =>
  digest(site.secretKey, `${purpose} link ${key}`)

/** Makes the secret of a link: 256 bits, readable only in this answer. */
export async function issueLink(context: PublicContext, accountId: number, purpose: LinkPurpose): Promise<string> {
  const key = randomBytes(32).toString('base64url')
  await context.em
    .getKysely<Tables>()
    .insertInto('account_link')
    .values({
      hash: hashOf(context, purpose, key),
      account_id: accountId,
      purpose,
      expires_at: new Date(context.now.getTime() + LIFETIME[purpose]),
    })
    .execute()
  return key
}

/**
 * Uses a link up. It exists until it is deleted, so of two visits at the same moment one gets it.
 * @returns the id of its account
 * @throws {Problem} `link_used` also where there never was such a link
 */
export async function redeemLink(context: PublicContext, purpose: LinkPurpose, key: string): Promise<number> {
  const used = await context.em
    .getKysely<Tables>()
    .deleteFrom('account_link')
    .where('hash', '=', hashOf(context, purpose, key))
    .where('purpose', '=', purpose)
    .returning(['account_id', 'expires_at'])
    .executeTakeFirst()
  if (!used || new Date(used.expires_at) <= context.now) throw problems.linkUsed()
  return used.account_id
}

/** The id of a link's account, where it would work now; it is not used up. */
export async function findLink(context: PublicContext, purpose: LinkPurpose, key: string): Promise<number | undefined> {
  const found = await context.em
    .getKysely<Tables>()
    .selectFrom('account_link')
    .select('account_id')
    .where('hash', '=', hashOf(context, purpose, key))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', context.now.toISOString())
    .executeTakeFirst()
  return found?.account_id
}
