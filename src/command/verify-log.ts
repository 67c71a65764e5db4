import { readFile } from 'node:fs/promises'
import { surveyChain } from '../domain/security/chain.ts'
import { type ChainHead, nameOf, verifySecurityLog } from '../domain/security/verify.ts'
import { withService } from './service.ts'

const HEAD = /^(?:installation|(account|survey) (\d+)): (\d+) entries, head ([0-9a-f]{64})$/gm

/**
 * `verify-log [file]`: verifies that no entry of the security log was changed or removed, and prints the heads of its
 * chains. With the output of an earlier run, it also verifies that all entries of that time still exist. Exits with 1
 * when the log was changed.
 */
export async function run(file?: string): Promise<void> {
  const recorded = file === undefined ? [] : headsIn(await readFile(file, 'utf8'))
  await withService(async ({ orm, services }) => {
    const { errors, heads } = await verifySecurityLog({ em: orm.em.fork(), services }, recorded)
    for (const { accountId, seq, hash } of heads) console.log(`${nameOf(accountId)}: ${seq} entries, head ${hash}`)
    for (const message of errors) console.error(message)
    console.error(errors.length ? 'The security log was changed.' : 'The security log is intact.')
    if (errors.length) process.exitCode = 1
  })
}

const headsIn = (text: string): ChainHead[] =>
  [...text.matchAll(HEAD)].map(([, noun, id = '0', seq, hash]) => ({
    accountId: noun === 'survey' ? surveyChain(Number(id)) : Number(id),
    seq: Number(seq),
    hash: hash!,
  }))
