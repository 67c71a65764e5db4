import { IsolationLevel } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Services } from '../services.ts'
import type { Tables } from '../tables.ts'
import { baseMac, entryHash, INSTALLATION } from './chain.ts'

/** The head of a chain: the number and the hash of its newest entry, now or at an earlier verification. */
export interface ChainHead {
  accountId: number
  seq: number
  /** Hexadecimal. */
  hash: string
}

/** The result of verifying the security log. */
export interface VerificationResult {
  /** One message for each error; empty if all chains are intact. */
  errors: string[]
  heads: ChainHead[]
}

/** What a verification needs. */
type LogContext = Pick<PublicContext, 'em'> & { services: Pick<Services, 'secretKey'> }

const BATCH_ROWS = 5_000

/**
 * Recomputes all chains of the security log. Detects entries that were changed, inserted or removed within a chain, and
 * entries missing at its start that the service did not purge. If someone removed the last entries together with the
 * head, only a comparison with heads recorded elsewhere detects it.
 * @param recorded heads of an earlier verification, which must still be part of their chains
 */
export async function verifySecurityLog(
  context: LogContext,
  recorded: readonly ChainHead[] = [],
): Promise<VerificationResult> {
  // Uses one snapshot, so that a concurrent entry is either complete or absent.
  return context.em.transactional(
    async (em) => {
      const inner = { ...context, em }
      const db = em.getKysely<Tables>()
      const chains = await db.selectFrom('security_chain').selectAll().orderBy('account_id').execute()
      const errors: string[] = []
      for (const chain of chains) errors.push(...(await verifyChain(inner, chain)))
      errors.push(...(await findStrayEntries(inner)))
      for (const head of recorded) errors.push(...(await verifyKnownHead(inner, head)))
      const heads = chains.map(({ account_id, seq, hash }) => ({
        accountId: account_id,
        seq,
        hash: hash.toString('hex'),
      }))
      return { errors, heads }
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  )
}

type Chain = Tables['security_chain']

/** Returns the name of a chain. */
export function nameOf(accountId: number): string {
  if (accountId === INSTALLATION) return 'installation'
  return accountId > 0 ? `account ${accountId}` : `survey ${-accountId}`
}

async function verifyChain(
  { em, services }: LogContext,
  { account_id, seq, hash, base_seq, base_hash, base_mac }: Chain,
): Promise<string[]> {
  const name = nameOf(account_id)
  if (!baseMac(services.secretKey, account_id, base_seq, base_hash).equals(base_mac))
    return [
      base_seq
        ? `${name}: the entries up to ${base_seq} were removed, but not by Canvass with this secret key`
        : `${name}: the chain begins with another secret key, or its start was changed`,
    ]
  let before = { seq: base_seq, hash: base_hash }
  for (let hasMore = true; hasMore; ) {
    const entries = await em
      .getKysely<Tables>()
      .selectFrom('security_event')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('seq', '>', before.seq)
      .orderBy('seq')
      .limit(BATCH_ROWS)
      .execute()
    for (const entry of entries) {
      if (entry.seq !== before.seq + 1) return [`${name}: entry ${before.seq + 1} is missing`]
      const expected = entryHash(services.secretKey, before.hash, { ...entry, at: new Date(entry.at) })
      if (!expected.equals(entry.hash)) return [`${name}: entry ${entry.seq} was changed, or an entry before it`]
      before = entry
    }
    hasMore = entries.length === BATCH_ROWS
  }
  return before.seq === seq && before.hash.equals(hash) ? [] : [`${name}: entries after ${before.seq} are missing`]
}

/** Returns an error for each account that has entries but no chain. */
async function findStrayEntries({ em }: LogContext): Promise<string[]> {
  const { rows } = await sql<{ account_id: number }>`select distinct account_id from security_event e
    where not exists (select from security_chain c where c.account_id = e.account_id)`.execute(em.getKysely())
  return rows.map(({ account_id }) => `${nameOf(account_id)}: entries without a chain`)
}

/** Checks that an earlier head is still part of its chain. The chain of the installation records deleted accounts and surveys. */
async function verifyKnownHead({ em }: LogContext, { accountId, seq, hash }: ChainHead): Promise<string[]> {
  const db = em.getKysely<Tables>()
  const chain = await db.selectFrom('security_chain').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  if (!chain) {
    const deleted = await db
      .selectFrom('security_event')
      .select('seq')
      .where('account_id', '=', INSTALLATION)
      .where('kind', '=', accountId > 0 ? 'account_deleted' : 'survey_deleted')
      .where(sql<boolean>`(details::jsonb->>${accountId > 0 ? 'account' : 'survey'})::bigint = ${Math.abs(accountId)}`)
      .executeTakeFirst()
    return deleted ? [] : [`${nameOf(accountId)}: the whole chain is missing`]
  }
  if (seq <= chain.base_seq || (seq === chain.seq && hash === chain.hash.toString('hex'))) return []
  const entry = await db
    .selectFrom('security_event')
    .select('hash')
    .where('account_id', '=', accountId)
    .where('seq', '=', seq)
    .executeTakeFirst()
  if (!entry) return [`${nameOf(accountId)}: entry ${seq} is missing, but existed at the earlier verification`]
  return entry.hash.toString('hex') === hash
    ? []
    : [`${nameOf(accountId)}: entry ${seq} differs from the earlier verification`]
}
