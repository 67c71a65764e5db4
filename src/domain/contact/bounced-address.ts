import { sql } from 'kysely'
import { digest } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'
import { findContact } from './queries.ts'

/** Why and when mail to an address came back. */
export interface Bounce {
  /** The reply of the mail server, without addresses. */
  reason: string
  bouncedAt: Date
}

const MAX_REASON_CHARACTERS = 300
const DIGEST_BYTES = 16

/** Returns the keyed hash by which an account remembers an address from which mail came back. */
const digestOf = ({ secretKey }: Services, accountId: number, email: string): Buffer =>
  digest(secretKey, `bounced ${accountId} ${email.toLowerCase()}`).subarray(0, DIGEST_BYTES)

/** Remembers that mail to an address came back for good, so that it gets no more mail of the account. */
export async function rememberBounce(
  { em, now, services }: PublicContext,
  accountId: number,
  email: string,
  reply: string,
): Promise<void> {
  const reason = reply.replace(/\S*@\S*/g, '<…>').slice(0, MAX_REASON_CHARACTERS)
  await sql`insert into bounced_address (account_id, digest, reason, bounced_at)
    select id, ${digestOf(services, accountId, email)}::bytea, ${reason}, ${now} from account where id = ${accountId}
    on conflict (account_id, digest) do update set reason = excluded.reason, bounced_at = excluded.bounced_at`.execute(
    em.getKysely<Tables>(),
  )
}

/** Returns the addresses among some, in lower case, from which the mail of an account came back. */
export async function bouncesAmong(
  { em, services }: PublicContext,
  accountId: number,
  emails: readonly string[],
): Promise<Map<string, Bounce>> {
  const addresses = new Map(
    emails.map((email) => [digestOf(services, accountId, email).toString('hex'), email.toLowerCase()]),
  )
  if (!addresses.size) return new Map()
  const digests = [...addresses.keys()].map((hex) => Buffer.from(hex, 'hex'))
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('bounced_address')
    .select(['digest', 'reason', 'bounced_at'])
    .where('account_id', '=', accountId)
    .where((eb) => eb('digest', '=', eb.fn.any(eb.val(digests))))
    .execute()
  return new Map(
    rows.map(({ digest: key, reason, bounced_at }) => [
      addresses.get(key.toString('hex'))!,
      { reason, bouncedAt: new Date(bounced_at) },
    ]),
  )
}

/**
 * Returns why and when mail to the address of a contact came back; undefined if none did.
 * @throws {Problem} `contact_not_found`
 */
export async function findBounce(context: Context, contactId: number): Promise<Bounce | undefined> {
  const { email } = await findContact(context, contactId)
  return (await bouncesAmong(context, context.actor.id, [email])).get(email.toLowerCase())
}

/**
 * Permits mail to the address of a contact again.
 * @throws {Problem} `contact_not_found`
 */
export async function forgetBounce(context: Context, contactId: number): Promise<void> {
  const { email } = await findContact(context, contactId)
  await forgetBounces(context, context.actor.id, [email])
}

/** Permits mail to addresses again from which mail came back. */
export async function forgetBounces(
  { em, services }: PublicContext,
  accountId: number,
  emails: readonly string[],
): Promise<void> {
  if (!emails.length) return
  const digests = emails.map((email) => digestOf(services, accountId, email))
  await em
    .getKysely<Tables>()
    .deleteFrom('bounced_address')
    .where('account_id', '=', accountId)
    .where((eb) => eb('digest', '=', eb.fn.any(eb.val(digests))))
    .execute()
}
