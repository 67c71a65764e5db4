import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { Finding } from '../../src/lib/finding.ts'
import { useBucket } from '../support/bucket.ts'
import { proxyError, type StoreReply, s3Error, useFaultyStore } from '../support/faulty-store.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })
const bucket = useBucket('files')
const faulty = useFaultyStore(bucket)
const S3 = 's3://files/canvass/'

/** Runs the doctor. @returns its findings about stores */
async function diagnose(settings: Record<string, string>): Promise<Finding[]> {
  const { output } = await runCanvass(
    {
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      DATA_DIR: world.dataDir,
      BACKUP_SCHEDULE: '15 2 * * *',
      ...faulty.credentials,
      ...settings,
    },
    'doctor',
    '--json',
  )
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return findings.filter(({ check }) => /^(files|backups)\./.test(check))
}

const found = (check: string, status: Finding['status'], message: RegExp, mend?: RegExp) =>
  expect.objectContaining({
    check,
    status,
    message: expect.stringMatching(message),
    ...(mend && { mend: expect.stringMatching(mend) }),
  })

const NO_VERSIONS = { status: 200, body: '<VersioningConfiguration/>' }
/** s3rver can neither abort an upload nor tell about versions. */
const completed = (line: string): StoreReply | undefined =>
  /^DELETE .*uploadId=/.test(line) ? { status: 204 } : /\?versioning/.test(line) ? NO_VERSIONS : undefined
const denied = s3Error(403, 'AccessDenied', '<Message>Access Denied.</Message>')

describe('canvass doctor', () => {
  it('writes, reads, lists and deletes in both stores, aborts an upload, and leaves nothing', async () => {
    faulty.fail(({ line }) => completed(line))
    expect(await diagnose({ FILES_URL: S3, BACKUP_TO: 's3://files/backups/' })).toEqual([
      found('files.deletions', 'ok', /^no deletion of a file in a bucket is overdue$/),
      found('files.store', 'ok', /are stored in s3:\/\/files\/canvass\/$/),
      found('files.versions', 'ok', /keeps no old versions/),
      found('backups.store', 'ok', /^backups are stored in s3:\/\/files\/backups\/$/),
    ])
    expect(faulty.lines(/^DELETE .*uploadId=/)).toHaveLength(1)
    expect(bucket.objects()).toEqual([])
  })

  it.each<[string, Record<string, string>, (line: string) => StoreReply | undefined, RegExp, RegExp]>([
    ['a wrong key', {}, () => s3Error(403, 'InvalidAccessKeyId'), /InvalidAccessKeyId/, /^Check AWS_ACCESS_KEY_ID/],
    ['a wrong secret', {}, () => s3Error(403, 'SignatureDoesNotMatch'), /SignatureDoesNotMatch/, /SECRET_ACCESS_KEY/],
    [
      'a wrong region',
      {},
      () => s3Error(400, 'AuthorizationHeaderMalformed', '<Message>Wrong.</Message><Region>eu-west-1</Region>'),
      /HTTP 400/,
      /^Set AWS_REGION=eu-west-1/,
    ],
    [
      'a missing bucket',
      { FILES_URL: 's3://none/a/', BACKUP_TO: 's3://none/b/' },
      () => undefined,
      /no such bucket/,
      /^Create it first/,
    ],
    [
      'a store without host names of buckets',
      { S3_ADDRESSING_STYLE: 'virtual', AWS_ENDPOINT_URL: 'http://store.invalid' },
      () => undefined,
      /files\.store\.invalid/,
      /S3_ADDRESSING_STYLE=path/,
    ],
    [
      'a missing right to write',
      {},
      (line) => (line.startsWith('PUT') ? denied : undefined),
      /Access Denied/,
      /may put/,
    ],
    [
      'a limit of the proxy, which small objects do not reach',
      {},
      (line) => (line.startsWith('PUT') ? proxyError(413) : undefined),
      /HTTP 413/,
      /client_max_body_size/,
    ],
    ['an endpoint that is no store', {}, () => proxyError(404), /HTTP 404/, /^Check AWS_ENDPOINT_URL/],
  ])('names %s, and what to do, for both stores', async (_, settings, fault, message, mend) => {
    faulty.fail(({ line }) => fault(line))
    expect(await diagnose({ FILES_URL: S3, BACKUP_TO: 's3://files/backups/', ...settings })).toEqual([
      found('files.deletions', 'ok', /./),
      found('files.write', 'error', message, mend),
      found('backups.write', 'error', message, mend),
    ])
    expect(bucket.objects()).toEqual([])
  })

  it('names the operations of backups that the credentials do not permit', async () => {
    faulty.fail(({ line }) => {
      if (/^GET .*list-type=2/.test(line) || /^DELETE .*uploadId=/.test(line)) return denied
      return completed(line)
    })
    expect(await diagnose({ BACKUP_TO: 's3://files/backups/' })).toEqual([
      found('files.deletions', 'ok', /./),
      found('files.store', 'ok', /in the database/),
      found('backups.list', 'error', /^The server cannot list backups: .*Access Denied/, /may put, get, list/),
      found('backups.abort', 'error', /^The server cannot abort an upload of backups: /, /may put, get, list/),
    ])
  })

  it('warns of a bucket that keeps deleted files forever', async () => {
    faulty.fail(({ line }) => {
      if (/\?versioning/.test(line))
        return { status: 200, body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>' }
      return /\?lifecycle/.test(line) ? s3Error(404, 'NoSuchLifecycleConfiguration') : undefined
    })
    expect(await diagnose({ FILES_URL: S3, BACKUP_TO: `${world.dataDir}/backups/` })).toEqual([
      found('files.deletions', 'ok', /./),
      found('files.store', 'ok', /./),
      found('files.versions', 'warning', /erased persons remain readable/, /NoncurrentVersionExpiration/),
      found('backups.store', 'ok', /^backups are stored in .*\/backups\/$/),
    ])
  })

  it('names a folder of backups that cannot be written', async () => {
    const file = path.join(world.dataDir, 'a-file')
    mkdirSync(world.dataDir, { recursive: true })
    writeFileSync(file, '')
    expect(await diagnose({ BACKUP_TO: `${file}/backups/` })).toContainEqual(
      found('backups.write', 'error', /cannot be opened or written \(ENOTDIR\)/, /^Check BACKUP_TO/),
    )
  })
})
