import { digest } from '../../lib/secrets.ts'

/**
 * The account id under which the installation has its own chain. A chain is the security log of one account: each entry
 * has a hash that includes the hash of the entry before it. The chain of the installation is kept when accounts are
 * deleted.
 */
export const INSTALLATION = 0

/** Returns the account id under which a survey has its own chain. It is kept when the owner changes. */
export const surveyChain = (surveyId: number): number => -surveyId

/** The fields of an entry that its hash includes. */
export interface ChainedEntry {
  account_id: number
  seq: number
  at: Date
  kind: string
  /** JSON text. */
  details: string
  network: string
}

/** Returns the keyed hash of an entry, which includes the hash of the entry before it. */
export const entryHash = (secretKey: Buffer, before: Buffer, entry: ChainedEntry): Buffer => {
  const { account_id, seq, at, kind, details, network } = entry
  const text = JSON.stringify([before.toString('hex'), account_id, seq, at.toISOString(), kind, details, network])
  return digest(secretKey, `security event ${text}`)
}

/**
 * Returns the hash with which a chain begins. The hash of the first entry includes this hash instead of the hash of a
 * previous entry.
 */
export const chainStart = (secretKey: Buffer, accountId: number): Buffer =>
  digest(secretKey, `security log of account ${accountId}`)

/** Returns the MAC which proves that the service removed the old entries at the start of a chain. */
export const baseMac = (secretKey: Buffer, accountId: number, seq: number, hash: Buffer): Buffer =>
  digest(secretKey, `security log of account ${accountId} begins after ${seq} ${hash.toString('hex')}`)
