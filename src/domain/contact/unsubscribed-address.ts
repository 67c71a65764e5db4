import { sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { PublicContext } from '../context.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'

/** Maximum number of addresses per statement. */
const BATCH_ADDRESSES = 5_000

const DIGEST_BYTES = 16

/** Returns the keyed hash by which an account remembers an address when no contact has it any more. */
export const addressDigest = ({ secretKey }: Services, accountId: number, email: string): Buffer =>
  digest(secretKey, `unsubscribed ${accountId} ${email.toLowerCase()}`).subarray(0, DIGEST_BYTES)

const addressesOf = (emails: Iterable<string>): string[] => [
  ...new Set(Iterator.from(emails).map((email) => email.toLowerCase())),
]

/** Returns the addresses, in lower case, that have unsubscribed from the mail of an account, under any name. */
export async function unsubscribedAmong(
  context: PublicContext,
  accountId: number,
  emails: Iterable<string>,
): Promise<Set<string>> {
  const addresses = addressesOf(emails)
  const db = context.em.getKysely<Tables>()
  const found = await db
    .selectFrom('contact')
    .select((eb) => eb.fn<string>('lower', ['email']).as('address'))
    .where('owner_id', '=', accountId)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn.any(eb.val(addresses))))
    .where('unsubscribed', '=', true)
    .execute()
  const unsubscribed = new Set(found.map(({ address }) => address))
  const hasRemembered = await db
    .selectFrom('unsubscribed_address')
    .select('account_id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  if (!hasRemembered) return unsubscribed
  const byDigest = new Map(
    addresses.map((address) => [addressDigest(context.services, accountId, address).toString('hex'), address]),
  )
  const remembered = await db
    .selectFrom('unsubscribed_address')
    .select('digest')
    .where('account_id', '=', accountId)
    .where((eb) => eb('digest', '=', eb.fn.any(eb.val([...byDigest.keys()].map((hex) => Buffer.from(hex, 'hex'))))))
    .execute()
  for (const row of remembered) unsubscribed.add(byDigest.get(row.digest.toString('hex'))!)
  return unsubscribed
}

/**
 * Unsubscribes addresses from all mail of an account: marks each contact with one of them, and remembers the addresses
 * for later contacts.
 * @param at when the people themselves unsubscribed; null if the owner says so
 */
export async function unsubscribeAddresses(
  context: PublicContext,
  accountId: number,
  emails: Iterable<string>,
  at: Date | null,
): Promise<void> {
  const addresses = addressesOf(emails)
  for (let start = 0; start < addresses.length; start += BATCH_ADDRESSES) {
    const batch = addresses.slice(start, start + BATCH_ADDRESSES)
    await rememberAddresses(
      context,
      accountId,
      batch.map((address) => addressDigest(context.services, accountId, address)),
    )
    await context.em
      .getKysely<Tables>()
      .updateTable('contact')
      .set({ unsubscribed: true, unsubscribed_at: at, updated_at: context.now })
      .where('owner_id', '=', accountId)
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', eb.fn.any(eb.val(batch))))
      .where('unsubscribed', '=', false)
      .execute()
  }
}

/** Remembers addresses for later contacts. */
export async function rememberAddresses({ em }: PublicContext, accountId: number, digests: Buffer[]): Promise<void> {
  await sql`insert into unsubscribed_address (account_id, digest)
    select account.id, unnest(${digests}::bytea[]) from account where account.id = ${accountId}
    on conflict do nothing`.execute(em.getKysely<Tables>())
}

/** Remembers the address of a contact that is deleted, if it has unsubscribed. */
export async function rememberDeleted(
  context: PublicContext,
  accountId: number,
  { email, unsubscribed }: { email: string; unsubscribed: boolean },
): Promise<void> {
  if (unsubscribed) await rememberAddresses(context, accountId, [addressDigest(context.services, accountId, email)])
}

/** Permits mail to an address again, for every contact with this address. */
export async function resubscribeAddress(context: PublicContext, accountId: number, email: string): Promise<void> {
  const db = context.em.getKysely<Tables>()
  const address = email.toLowerCase()
  await db
    .deleteFrom('unsubscribed_address')
    .where('account_id', '=', accountId)
    .where('digest', '=', addressDigest(context.services, accountId, address))
    .execute()
  await db
    .updateTable('contact')
    .set({ unsubscribed: false, unsubscribed_at: null, updated_at: context.now })
    .where('owner_id', '=', accountId)
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', address))
    .where('unsubscribed', '=', true)
    .execute()
}
