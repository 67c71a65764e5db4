import { digest } from '../../lib/token.ts'

/** The chain of the installation itself, which outlives accounts. */
export const INSTALLATION = 0

/** An entry as it is authenticated. */
export interface ChainedEntry {
  account_id: number
  seq: number
  at: Date
  kind: string
  /** JSON text. */
  details: string
  network: string
}

/** Returns what authenticates an entry: a keyed hash of everything in it and of the entry before it. */
export const entryHash = (secretKey: Buffer, before: Buffer, entry: ChainedEntry): Buffer => {
  const { account_id, seq, at, kind, details, network } = entry
  const text = JSON.stringify([before.toString('hex'), account_id, seq, at.toISOString(), kind, details, network])
  return digest(secretKey, `security event ${text}`)
}

/** Returns where a chain begins: what stands in the place of a hash before the first entry. */
export const chainStart = (secretKey: Buffer, accountId: number): Buffer =>
  digest(secretKey, `security log of account ${accountId}`)

/** Returns what proves that we removed the beginning of a chain, when it was old enough. */
export const baseMac = (secretKey: Buffer, accountId: number, seq: number, hash: Buffer): Buffer =>
  digest(secretKey, `security log of account ${accountId} begins after ${seq} ${hash.toString('hex')}`)
