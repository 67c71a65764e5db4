import { createOrm } from '../../db/orm.ts'
import { verifySecurityLog } from '../../domain/security/verify.ts'
import type { Findings } from './finding.ts'

/** Verifies the security log, as the command `verify-log` does. */
export async function checkSecurityLog(url: string, secretKey: Buffer, found: Findings): Promise<void> {
  const orm = await createOrm(url)
  try {
    const { errors, heads } = await verifySecurityLog({ em: orm.em.fork(), services: { secretKey } })
    const entries = heads.reduce((sum, { seq }) => sum + seq, 0)
    if (!errors.length) return found.ok('chain', `the security log is intact (${entries} entries)`)
    // If the secret key has changed, no entry of any chain matches.
    if (errors.length >= heads.length && heads.length > 1)
      return found.error(
        'chain',
        'The secret key is not the one with which this database was used: no chain of the security log matches. API keys and sessions are invalid.',
        'Set SECRET_KEY, or restore DATA_DIR/secret-key, to the key of the backup or of the other servers.',
      )
    found.error(
      'chain',
      `The security log was changed: ${errors[0]}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}.`,
      'Run "canvass verify-log" for all errors. Someone with access to the database has changed it: find out who.',
    )
  } finally {
    await orm.close(true)
  }
}
