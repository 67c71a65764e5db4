import { IsolationLevel } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { PublicContext } from '../context.ts'
import type { Tables } from '../tables.ts'
import { baseMac, entryHash, INSTALLATION } from './chain.ts'

/** The head of one chain, as it was found or as somebody kept it. */
export interface ChainHead {
  accountId: number
  seq: number
  /** Hexadecimal. */
  hash: string
}

export interface VerificationResult {
  /** What is wrong, in words; empty: every chain is whole. */
  errors: string[]
  heads: ChainHead[]
}

const PORTION_ROWS = 5_000

/**
 * Computes every chain of the security log anew, and compares. What was changed, inserted or removed within a chain shows, and so
 * does a chain that was cut at its beginning by somebody else. Entries cut off at the end, together with the head, show only
 * against heads that were kept elsewhere.
 * @param kept heads of an earlier verification, which must still be in their chains
 */
export async function verifySecurityLog(
  context: PublicContext,
  kept: readonly ChainHead[] = [],
): Promise<VerificationResult> {
  // One snapshot, so that entries that are written meanwhile are wholly in it or not at all.
  return context.em.transactional(
    async (em) => {
      const inside = { ...context, em }
      const db = em.getKysely<Tables>()
      const chains = await db.selectFrom('security_chain').selectAll().orderBy('account_id').execute()
      const errors: string[] = []
      for (const chain of chains) errors.push(...(await verifyChain(inside, chain)))
      errors.push(...(await findStrayEntries(inside)))
      for (const head of kept) errors.push(...(await verifyKnownHead(inside, head)))
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

const nameOf = (accountId: number) => (accountId === INSTALLATION ? 'installation' : `account ${accountId}`)

async function verifyChain(
  { em, services }: PublicContext,
  { account_id, seq, hash, base_seq, base_hash, base_mac }: Chain,
): Promise<string[]> {
  const name = nameOf(account_id)
  if (!baseMac(services.secretKey, account_id, base_seq, base_hash).equals(base_mac))
    return [`${name}: the entries up to ${base_seq} were not removed by Canvass`]
  let before = { seq: base_seq, hash: base_hash }
  for (let more = true; more; ) {
    const entries = await em
      .getKysely<Tables>()
      .selectFrom('security_event')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('seq', '>', before.seq)
      .orderBy('seq')
      .limit(PORTION_ROWS)
      .execute()
    for (const entry of entries) {
      if (entry.seq !== before.seq + 1) return [`${name}: entry ${before.seq + 1} is missing`]
      const right = entryHash(services.secretKey, before.hash, { ...entry, at: new Date(entry.at) })
      if (!right.equals(entry.hash)) return [`${name}: entry ${entry.seq} was changed, or an entry before it`]
      before = entry
    }
    more = entries.length === PORTION_ROWS
  }
  return before.seq === seq && before.hash.equals(hash) ? [] : [`${name}: entries after ${before.seq} are missing`]
}

/** Entries that belong to no chain, and chains of accounts that do not exist. */
async function findStrayEntries({ em }: PublicContext): Promise<string[]> {
  const { rows } = await sql<{ account_id: number }>`select distinct account_id from security_event e
    where not exists (select from security_chain c where c.account_id = e.account_id)`.execute(em.getKysely())
  return rows.map(({ account_id }) => `${nameOf(account_id)}: entries without a chain`)
}

/** Whether what was the head once is still there. A chain goes with its account, which the chain of the installation says. */
async function verifyKnownHead({ em }: PublicContext, { accountId, seq, hash }: ChainHead): Promise<string[]> {
  const db = em.getKysely<Tables>()
  const chain = await db.selectFrom('security_chain').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  if (!chain) {
    const deleted = await db
      .selectFrom('security_event')
      .select('seq')
      .where('account_id', '=', INSTALLATION)
      .where('kind', '=', 'account_deleted')
      .where(sql<boolean>`(details::jsonb->>'account')::bigint = ${accountId}`)
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
  if (!entry) return [`${nameOf(accountId)}: entry ${seq}, which was there earlier, is missing`]
  return entry.hash.toString('hex') === hash ? [] : [`${nameOf(accountId)}: entry ${seq} is another than earlier`]
}
