import { isIPv6 } from 'node:net'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { baseMac, chainStart, entryHash } from './chain.ts'

/** What is written down of the security of an account. */
export type SecurityEventKind =
  | 'signed_in'
  | 'sign_in_failed'
  | 'locked_out'
  | 'password_changed'
  | 'email_changed'
  | 'api_key_created'
  | 'api_key_revoked'
  | 'application_authorized'
  | 'application_limited'
  | 'application_revoked'
  | 'roles_changed'
  | 'contact_erased'
  | 'exported'
  | 'survey_weakened'
  | 'account_deleted'

/** Numbers, flags and fixed words: no secret, and nothing that names anybody. */
export type SecurityEventDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Entries of one kind and account in an hour: a stranger who guesses from many places cannot fill the log. */
const MAX_ENTRIES_AN_HOUR = 50
const HOUR_MS = 3_600_000

/**
 * Appends an entry to the security log of an account: in the transaction of the caller, else in one of its own. The head of
 * the chain is locked until the commit, so entries of one account wait for each other, and nothing else does.
 */
export async function recordSecurityEvent(
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> {
  const { em } = context
  if (em.isInTransaction()) await append(context, accountId, kind, details)
  else await recordInOwnTransaction(context, accountId, kind, details)
}

/** The same in a transaction of its own, so that it stays when that of the caller is rolled back. */
export const recordInOwnTransaction = (
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
): Promise<void> => context.em.fork().transactional((em) => append({ ...context, em }, accountId, kind, details))

/** Appends what happens again and again: the same once an hour, and of one kind no more than some. */
export async function recordThrottled(
  context: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails = {},
  { same = true }: { same?: boolean } = {},
): Promise<void> {
  const recent = await context.em
    .fork()
    .getKysely<Tables>()
    .selectFrom('security_event')
    .select(['details', 'network'])
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('at', '>', new Date(context.now.getTime() - HOUR_MS).toISOString())
    .limit(MAX_ENTRIES_AN_HOUR)
    .execute()
  if (recent.length === MAX_ENTRIES_AN_HOUR) return
  const [text, network] = [JSON.stringify(details), loggedNetwork(context.ipAddress)]
  if (same && recent.some((entry) => entry.details === text && entry.network === network)) return
  await recordInOwnTransaction(context, accountId, kind, details)
}

async function append(
  { em, now, services, ipAddress }: PublicContext,
  accountId: number,
  kind: SecurityEventKind,
  details: SecurityEventDetails,
): Promise<void> {
  const db = em.getKysely<Tables>()
  const { secretKey } = services
  const start = chainStart(secretKey, accountId)
  const fresh = { account_id: accountId, seq: 0, hash: start, base_seq: 0, base_hash: start }
  const head = await db
    .insertInto('security_chain')
    .values({ ...fresh, base_mac: baseMac(secretKey, accountId, 0, start) })
    // Changes nothing, and locks the row.
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ account_id: accountId }))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow()
  const text = JSON.stringify(details)
  const entry = {
    account_id: accountId,
    seq: head.seq + 1,
    at: now,
    kind,
    details: text,
    network: loggedNetwork(ipAddress),
  }
  const hash = entryHash(secretKey, head.hash, entry)
  await db
    .insertInto('security_event')
    .values({ ...entry, hash })
    .execute()
  await db.updateTable('security_chain').set({ seq: entry.seq, hash }).where('account_id', '=', accountId).execute()
}

/** Returns the network of an address: enough to recognise where one was, too little to find somebody by. */
function loggedNetwork(ipAddress = ''): string {
  const address = ipAddress.replace(/^::ffff:/, '')
  if (!isIPv6(address)) return address && `${address.split('.').slice(0, 3).join('.')}.0/24`
  const [head = ''] = address.split('::')
  const groups = [...head.split(':').filter(Boolean), '0', '0', '0'].slice(0, 3)
  return `${groups.join(':')}::/48`
}
