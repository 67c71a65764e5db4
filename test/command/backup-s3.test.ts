import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { prune } from '../../src/backup/store.ts'
import { runBackupProcess } from '../../src/lib/backup-process.ts'
import { openBucket } from '../../src/lib/bucket.ts'
import { useBackups } from '../support/backups.ts'
import { useBucket } from '../support/bucket.ts'
import { rowsOf } from '../support/compare-databases.ts'
import { proxyError, s3Error, useFaultyStore } from '../support/faulty-store.ts'
import { runCanvass } from '../support/run-canvass.ts'

const TIMEOUT_MS = 180_000
const S3 = { region: 'us-east-1', addressing: 'auto' } as const
const backups = useBackups()
const { world, newDatabase, newFolder, backUp, restore } = backups
const bucket = useBucket('backups')
const { credentials } = bucket
const faulty = useFaultyStore(bucket)

describe('backup and restore', () => {
  test(
    'store a backup in a bucket, verify it and restore it',
    async () => {
      const target = 's3://backups/canvass/monday.backup'
      await world.em().getConnection().execute(`update uploaded_file set store = 's3://files/canvass/'`)
      expect(await runCanvass({ ...settings(), ...credentials }, 'backup', '--to', target)).toEqual({
        code: 0,
        output: expect.stringMatching(
          /Not in the backup: 1 uploaded file \(0\.0 MB\) in s3:\/\/files\/canvass\/\. .*Backup: s3:\/\/backups\/canvass\/monday\.backup \(verified\)/s,
        ),
      })
      expect((await runCanvass(credentials, 'backup', 'verify', target)).output).toContain('complete and intact')
      const url = newDatabase()
      expect((await restore(target, { DATABASE_URL: url, SECRET_KEY: world.secretKey, ...credentials })).code).toBe(0)
      expect(await rowsOf(url)).toEqual(await rowsOf(world.databaseUrl))
      const prefix = 's3://backups/canvass/'
      expect((await runCanvass(credentials, 'backup', 'verify', prefix)).output).toContain(
        `There is no backup in ${prefix}. Check the path, or name the file.`,
      )
      expect((await backUp(prefix, credentials)).code).toBe(0)
      const newest = await restore(prefix, { DATABASE_URL: newDatabase(), SECRET_KEY: world.secretKey, ...credentials })
      expect(newest.output).toMatch(/The newest backup is s3:\/\/backups\/canvass\/canvass-\w+Z\.backup\./)
      expect(newest.output).toContain(
        'The servers need access to 1 uploaded file (0.0 MB) in s3://files/canvass/, which no backup contains.',
      )
      expect((await backUp(target, credentials)).output).toBe(
        `${target} exists. Choose another name, or delete it first.\n`,
      )
    },
    TIMEOUT_MS,
  )

  test(
    'report a missing object, a missing bucket and wrong credentials',
    async () => {
      expect((await runCanvass(credentials, 'backup', 'verify', 's3://backups/none')).output).toBe(
        's3://backups/none does not exist. Check the bucket and the key.\n',
      )
      expect((await backUp('s3://nowhere/a.backup', credentials)).output).toContain(
        's3://nowhere/a.backup: there is no such bucket. Create it first.\n',
      )
      const wrong = { ...credentials, AWS_ACCESS_KEY_ID: 'UNKNOWN' }
      expect((await backUp('s3://backups/b.backup', wrong)).output).toMatch(
        /^s3:\/\/backups\/b\.backup: .*\(HTTP 403 Forbidden, InvalidAccessKeyId\)\. Check AWS_ACCESS_KEY_ID\.\n$/m,
      )
      expect((await backUp('s3://', credentials)).output).toBe(
        's3:// has no bucket. Example: s3://bucket/folder/name.backup\n',
      )
    },
    TIMEOUT_MS,
  )

  test(
    'end with the reason if a part of a large backup is rejected, and leave nothing',
    async () => {
      // The rows are random, so that the compressed backup has several parts.
      const { pool } = world.application.services
      await pool.query('create table large (content bytea)')
      try {
        for (let row = 0; row < 40; row += 1)
          await pool.query('insert into large values ($1)', [randomBytes(1_000_000)])
        const aborted = /^DELETE .*uploadId=/
        // s3rver cannot abort an upload.
        faulty.fail(({ line }) =>
          /partNumber=2/.test(line) ? proxyError(413) : aborted.test(line) ? { status: 204 } : undefined,
        )
        const { code, output } = await backUp('s3://backups/large.backup', faulty.credentials)
        expect(output.split('\n').filter((line) => line && !/^backup: /.test(line))).toEqual([
          's3://backups/large.backup: HTTP 413 Payload Too Large, without an error of S3 in the reply. Raise the limit of request bodies of the proxy in front of the store (nginx: client_max_body_size).',
        ])
        expect(code).toBe(1)
        expect(faulty.lines(aborted)).toHaveLength(1)
        expect(bucket.objects().filter((name) => name.includes('large'))).toEqual([])
      } finally {
        await pool.query('drop table large')
      }
    },
    TIMEOUT_MS,
  )

  test(
    'store a backup without permission to list, and warn that older ones remain',
    async () => {
      faulty.fail(({ line }) => {
        // AWS answers HEAD for a new object so if the credentials may not list.
        if (line.startsWith('HEAD')) return { status: 403 }
        return /^GET .*list-type=2/.test(line)
          ? s3Error(403, 'AccessDenied', '<Message>Access Denied.</Message>')
          : undefined
      })
      const { code, output } = await backUp('s3://backups/unlisted/', faulty.credentials, '--keep', '1')
      expect(output).toMatch(
        /^Warning: older backups cannot be deleted\. s3:\/\/backups\/unlisted\/: Access Denied \(HTTP 403 Forbidden, AccessDenied\)\. Check that these credentials may/m,
      )
      expect(output).toMatch(/^Backup: s3:\/\/backups\/unlisted\/canvass-\w+\.backup \(verified\)$/m)
      expect(code).toBe(0)
      // A worker logs the warning and reports success. The name of a backup contains its time to the second, so this one
      // has another prefix.
      const env = { PATH: process.env.PATH, ...settings(), ...faulty.credentials }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      expect(await runBackupProcess(env, 's3://backups/unlisted/worker/', 1, signal)).toEqual([
        expect.stringMatching(/^Warning: older backups cannot be deleted\. .*Access Denied/),
      ])
      faulty.fail(() => proxyError(502))
      await expect(runBackupProcess(env, 's3://backups/unlisted/', 1, signal)).rejects.toThrow(
        /^s3:\/\/backups\/unlisted\/.*: HTTP 502 Bad Gateway, without .* Check the store and the proxy in front of it\.$/,
      )
    },
    TIMEOUT_MS,
  )

  test(
    'keep the newest backups with --keep, and do not delete other files',
    async () => {
      const folder = newFolder()
      const names = () => readdirSync(folder).sort()
      const target = `${folder}/`
      expect((await backUp(`${target}own.backup`)).code).toBe(0)
      expect((await backUp(target)).code).toBe(0)
      // The name of a backup contains its time to the second.
      const old = 'canvass-20200101T000000Z.backup'
      renameSync(path.join(folder, names()[0]!), path.join(folder, old))
      const { output } = await backUp(target, {}, '--keep', '1')
      expect(output).toContain(`Deleted: ${path.join(folder, old)}\n`)
      expect(names()).toEqual([expect.not.stringContaining(old), 'own.backup'])
      expect((await backUp(target, {}, '--keep', '0')).output).toBe(
        '--keep must be a whole number from 1 on, not "0".\n',
      )
    },
    TIMEOUT_MS,
  )
})

/** Returns the settings that `backUp` uses, for tests that call the command with other arguments. */
const settings = () => ({ DATABASE_URL: world.databaseUrl, SECRET_KEY: world.secretKey, DATA_DIR: newFolder() })

describe('a bucket', () => {
  test(
    'receives a large backup in parts, keeps nothing of a failed backup, and deletes old backups',
    async () => {
      // s3rver cannot abort an upload.
      faulty.fail(({ line }) => (/^DELETE .*uploadId=/.test(line) ? { status: 204 } : undefined))
      const store = openBucket('s3://backups/large/', S3)
      const content = randomBytes(20 * 1024 * 1024)
      const chunks = Array.from({ length: 20 }, (_, index) => content.subarray(index << 20, (index + 1) << 20))
      const names = ['canvass-20260101T000000Z.backup', 'canvass-20260102T000000Z.backup']
      for (const name of names) await store.write(name, Readable.from(chunks, { objectMode: false }))
      expect((await buffer(await store.read(names[0]!))).equals(content)).toBe(true)
      async function* broken() {
        yield* chunks
        throw new Error('the database has stopped')
      }
      const failed = store.write('failed', Readable.from(broken(), { objectMode: false }))
      await expect(failed).rejects.toThrow('the database has stopped')
      expect(await store.list()).toEqual(names)
      expect(await prune(store, 1)).toEqual([names[0]])
      expect(await store.list()).toEqual([names[1]])
    },
    TIMEOUT_MS,
  )
})
