import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Client } from 'pg'
import type { InspectedConfig } from '../../config.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Time without traffic after which the check fails, in milliseconds. */
const TIMEOUT_MS = 5_000
const CONTENT = Buffer.from('Canvass can delete this object.')

/** Checks that the server can write, read and delete objects in the bucket of uploaded files. Leaves no object. */
export async function checkBucket({ files: { store, s3 } }: InspectedConfig, found: Findings): Promise<void> {
  if (!store) return found.ok('store', 'uploaded files are stored in the database')
  const { openBucket } = await import('../../lib/bucket.ts')
  const bucket = openBucket(store, s3, TIMEOUT_MS)
  const name = `doctor-${randomBytes(8).toString('hex')}`
  const digest = createHash('sha256').update(CONTENT).digest('hex')
  const object = { bytes: CONTENT.length, digest, read: () => Readable.from([CONTENT]) }
  const steps = {
    write: () => bucket.put(name, object),
    read: async () => {
      if (!(await buffer(await bucket.read(name))).equals(CONTENT))
        throw new Error(`${store} returns different content.`)
    },
    delete: () => bucket.remove(name),
  }
  let isUsable = true
  try {
    for (const [operation, run] of Object.entries(steps))
      try {
        await run()
      } catch (error) {
        isUsable = false
        const [, reason, mend] = /^(.*?)\s+((?:Check|Create|Set) .*)$/s.exec(reasonOf(error)) ?? []
        found.error(
          operation,
          `The server cannot ${operation} uploaded files: ${reason ?? reasonOf(error)}`,
          mend ?? 'Check FILES_URL.',
        )
        if (operation === 'write') return
      }
    if (isUsable) found.ok('store', `uploaded files are stored in ${store}`)
  } finally {
    bucket.close()
  }
}

/** Number of failed attempts after which a deletion is reported. */
const MAX_ATTEMPTS = 3

/** Checks that no object of a deleted file is left in a bucket after {@link MAX_ATTEMPTS} attempts to delete it. */
export async function checkDeletions(client: Client, found: Findings): Promise<void> {
  const { rows } = await client.query<{ store: string; objects: number }>(
    'select store, count(*)::integer as objects from file_deletion where attempts >= $1 group by store order by store',
    [MAX_ATTEMPTS],
  )
  for (const { store, objects } of rows)
    found.warning(
      'deletions',
      `${objects} deleted files are still in ${store}.`,
      'See the error in the log of the worker. The credentials need permission to delete objects, also in earlier buckets.',
    )
  if (!rows.length) found.ok('deletions', 'no deleted file is left in a bucket')
}
