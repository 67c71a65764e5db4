import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openBucket } from '../../src/lib/bucket.ts'
import type { BucketError } from '../../src/lib/bucket-error.ts'
import { PART_BYTES } from '../../src/lib/bucket-upload.ts'
import { useBucket } from '../support/bucket.ts'
import { proxyError, type StoreReply, s3Error, useFaultyStore } from '../support/faulty-store.ts'

const bucket = useBucket('files')
const faulty = useFaultyStore(bucket)
const S3 = { region: 'us-east-1', addressing: 'auto' } as const
const store = openBucket('s3://files/a/', S3)
const CONTENT = Buffer.from('What the respondent sent.')

const fileOf = (content: Buffer) => ({
  bytes: content.length,
  digest: createHash('sha256').update(content).digest('hex'),
  read: () => Readable.from([content]),
})
/** Returns a stream of several megabytes. */
const streamOf = (content: Buffer) =>
  Readable.from(
    Array.from({ length: Math.ceil(content.length / 1e6) }, (_, index) =>
      content.subarray(index * 1e6, (index + 1) * 1e6),
    ),
    { objectMode: false },
  )
const failureOf = (promise: Promise<unknown>): Promise<BucketError> =>
  promise.then(
    () => Promise.reject(new Error('The request succeeded.')),
    (error) => error,
  )
const isPut = (line: string) => line.startsWith('PUT')

/** s3rver cannot abort an upload. */
const aborted = (line: string): StoreReply | undefined =>
  /^DELETE .*uploadId=/.test(line) ? { status: 204 } : undefined

/** Runs work with other environment variables. */
async function withEnvironment<Result>(env: Record<string, string | undefined>, work: () => Promise<Result>) {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
  const set = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
  set(env)
  try {
    return await work()
  } finally {
    set(before)
  }
}

describe('uploads', () => {
  it('have a checksum, which Object Lock demands: files SHA-256, backups CRC32', async () => {
    await store.put('file', fileOf(CONTENT))
    await store.write('small', Readable.from([CONTENT]))
    await store.write('large', streamOf(randomBytes(PART_BYTES + 1)))
    const puts = faulty.requests.filter(({ line }) => isPut(line)).map(({ headers }) => headers)
    const digest = createHash('sha256').update(CONTENT).digest('base64')
    expect(puts).toHaveLength(4)
    expect(puts[0]).toMatchObject({ 'x-amz-sdk-checksum-algorithm': 'SHA256', 'x-amz-checksum-sha256': digest })
    for (const headers of puts.slice(1))
      expect(headers).toMatchObject({
        'x-amz-sdk-checksum-algorithm': 'CRC32',
        'x-amz-checksum-crc32': expect.stringMatching(/^[\w+/]{6}==$/),
      })
    for (const name of ['file', 'small', 'large']) await store.remove(name)
  })

  it('have none with AWS_REQUEST_CHECKSUM_CALCULATION=when_required, for stores that do not know checksums', async () => {
    faulty.fail(({ headers }) =>
      Object.keys(headers).some((name) => name.includes('checksum')) ? s3Error(501, 'NotImplemented') : undefined,
    )
    const { mend } = await failureOf(store.put('file', fileOf(CONTENT)))
    expect(mend).toContain('AWS_REQUEST_CHECKSUM_CALCULATION=when_required')
    await withEnvironment({ AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required' }, async () => {
      const plain = openBucket('s3://files/plain/', S3)
      await plain.put('file', fileOf(CONTENT))
      await plain.write('large', streamOf(randomBytes(PART_BYTES + 1)))
      expect(await plain.list()).toEqual(['file', 'large'])
      for (const name of ['file', 'large']) await plain.remove(name)
    })
  })

  it.each([
    ['SlowDown', s3Error(503, 'SlowDown')],
    ['a wrong clock, which the SDK then corrects', s3Error(403, 'RequestTimeTooSkewed')],
    ['a busy proxy', proxyError(502)],
  ])('are repeated after %s', async (_, reply) => {
    faulty.fail(() => (faulty.lines(/^PUT/).length < 3 ? reply : undefined))
    await store.put('file', fileOf(CONTENT))
    expect(faulty.lines(/^PUT/)).toHaveLength(3)
    await store.remove('file')
  })

  it('are not repeated after a refusal', async () => {
    faulty.fail(() => s3Error(403, 'AccessDenied'))
    await failureOf(store.put('file', fileOf(CONTENT)))
    expect(faulty.lines(/^PUT/)).toHaveLength(1)
  })

  it('report the error of their content', async () => {
    faulty.fail(({ line }) => aborted(line))
    async function* broken() {
      yield randomBytes(PART_BYTES)
      yield randomBytes(PART_BYTES)
      throw Object.assign(new Error('the database has stopped'), { code: 'ECONNRESET', syscall: 'read' })
    }
    const failed = store.write('failed', Readable.from(broken(), { objectMode: false }))
    await expect(failed).rejects.toThrow(/^the database has stopped$/)
    expect(faulty.lines(/^DELETE .*uploadId=/)).toHaveLength(1)
    expect(bucket.objects()).toEqual([])
  })
})

describe('a failed upload in parts', () => {
  const content = randomBytes(PART_BYTES * 3)

  it('names the reply to the part, and deletes the parts before it ends', async () => {
    faulty.fail(({ line }) => (/partNumber=2/.test(line) ? proxyError(413) : aborted(line)))
    const source = streamOf(content)
    const { reason, mend } = await failureOf(store.write('backup', source))
    expect(reason).toBe('s3://files/a/backup: HTTP 413 Payload Too Large, without an error of S3 in the reply.')
    expect(mend).toContain('client_max_body_size')
    expect(source.destroyed).toBe(true)
    expect(faulty.lines(/^DELETE .*uploadId=/)).toHaveLength(1)
    expect(bucket.objects()).toEqual([])
  })

  it('says that parts remain if the store does not delete them', async () => {
    faulty.fail(({ line }) =>
      /partNumber=2|^DELETE/.test(line) ? s3Error(403, 'AccessDenied', '<Message>Access Denied.</Message>') : undefined,
    )
    const { message } = await failureOf(store.write('backup', streamOf(content)))
    expect(message).toContain('Access Denied (HTTP 403 Forbidden, AccessDenied).')
    expect(message).toContain('The parts that were already sent remain in the bucket. Give the bucket a lifecycle rule')
  })
})

describe('an object that may exist', () => {
  it('is not overwritten', async () => {
    await store.write('backup', Readable.from([CONTENT]))
    await expect(store.write('backup', Readable.from(['other']))).rejects.toThrow(
      's3://files/a/backup exists. Choose another name, or delete it first.',
    )
    expect(await buffer(await store.read('backup'))).toEqual(CONTENT)
    await store.remove('backup')
  })

  it('is protected by a condition if the credentials may not look for objects', async () => {
    const hidden = (line: string) =>
      line.startsWith('HEAD') ? { status: 403 } : line.startsWith('GET') ? s3Error(403, 'AccessDenied') : undefined
    faulty.fail(({ line }) => hidden(line))
    await store.write('small', Readable.from([CONTENT]))
    await store.write('large', streamOf(randomBytes(PART_BYTES + 1)))
    const conditional = faulty.requests.filter(({ headers }) => headers['if-none-match'] === '*')
    expect(conditional.map(({ line }) => line.split('?')[0])).toEqual(['PUT /files/a/small', 'POST /files/a/large'])
    faulty.fail(({ line }) => (isPut(line) ? s3Error(412, 'PreconditionFailed') : hidden(line)))
    await expect(store.write('small', Readable.from([CONTENT]))).rejects.toThrow('s3://files/a/small exists.')
    faulty.fail(() => undefined)
    for (const name of ['small', 'large']) await store.remove(name)
  })
})

describe('an error', () => {
  const region = `<Message>The region 'us-east-1' is wrong; expecting 'eu-central-1'</Message><Region>eu-central-1</Region>`
  it.each<[string, StoreReply, RegExp, RegExp]>([
    ['a wrong key', s3Error(403, 'InvalidAccessKeyId'), /No \(HTTP 403 Forbidden, Inv/, /^Check AWS_ACCESS_KEY_ID/],
    ['a wrong secret', s3Error(403, 'SignatureDoesNotMatch'), /SignatureDoes/, /^Check AWS_SECRET_ACCESS_KEY/],
    ['an expired token', s3Error(400, 'ExpiredToken'), /ExpiredToken/, /^Check AWS_SESSION_TOKEN/],
    ['a missing right', s3Error(403, 'AccessDenied'), /AccessDenied/, /may put, get, list and delete/],
    [
      'a wrong region',
      s3Error(400, 'AuthorizationHeaderMalformed', region),
      /is wrong/,
      /^Set AWS_REGION=eu-central-1/,
    ],
    [
      'a bucket of another region',
      { ...s3Error(301, 'PermanentRedirect'), headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      /PermanentRedirect/,
      /^Set AWS_REGION=eu-west-1/,
    ],
    ['a missing bucket', s3Error(404, 'NoSuchBucket'), /there is no such bucket/, /^Create it first/],
    [
      'a redirect',
      { ...proxyError(301), headers: { location: 'https://s3.test/' } },
      /redirects to https:\/\/s3\.test/,
      /ENDPOINT/,
    ],
    ['an HTML page for 403', proxyError(403), /HTTP 403 Forbidden, without an error of S3/, /may put, get/],
    ['an HTML page for 413', proxyError(413), /HTTP 413/, /client_max_body_size/],
    ['an HTML page for 404', proxyError(404), /HTTP 404 Not Found, without/, /^Check AWS_ENDPOINT_URL/],
    ['an empty reply', { status: 400 }, /HTTP 400 Bad Request, without/, /^Check AWS_ENDPOINT_URL/],
    ['an HTML page for 502', proxyError(502), /HTTP 502 Bad Gateway, without/, /^Check the store and the proxy/],
  ])('names the cause and what to do for %s, in every operation', async (_, reply, reason, mend) => {
    // A reply to HEAD has no body.
    faulty.fail(({ line }) => (line.startsWith('HEAD') ? { ...reply, body: '' } : reply))
    const operations = [
      () => store.put('a', fileOf(CONTENT)),
      () => store.write('a', Readable.from([CONTENT])),
      () => store.read('a'),
      () => store.list(),
      () => store.remove('a'),
      () => store.tryParts('a'),
    ]
    for (const error of await Promise.all(operations.map((run) => failureOf(run())))) {
      expect(error.name).toBe('BucketError')
      expect(error.reason).toMatch(reason)
      expect(error.mend).toMatch(mend)
    }
  })

  it.each([
    ['no service', 'http://127.0.0.1:1', /ECONNREFUSED/, /^Check that the store runs, and AWS_ENDPOINT_URL/],
    ['an address without https://', '127.0.0.1:9000', /Invalid URL/, /^Set AWS_ENDPOINT_URL to a URL/],
    ['an unknown host', 'http://store.invalid', /(ENOTFOUND|EAI_AGAIN) store\.invalid/, /^Check AWS_ENDPOINT_URL/],
  ])('names the cause and what to do for %s', async (_, endpoint, reason, mend) => {
    const error = await withEnvironment({ AWS_ENDPOINT_URL: endpoint }, () =>
      failureOf(openBucket('s3://files/', S3).list()),
    )
    expect([error.reason, error.mend]).toEqual([expect.stringMatching(reason), expect.stringMatching(mend)])
  })

  it('names the cause if the store closes the connection of a large file that it rejects', async () => {
    faulty.fail(({ line }) => (isPut(line) ? 'reset' : s3Error(403, 'SignatureDoesNotMatch')))
    const { reason } = await failureOf(store.put('a', fileOf(CONTENT)))
    expect(reason).toContain('SignatureDoesNotMatch')
    // A store that is only unreachable.
    faulty.fail(({ line }) => (isPut(line) ? 'reset' : undefined))
    expect((await failureOf(store.put('a', fileOf(CONTENT)))).reason).toMatch(/ECONNRESET|socket hang up/)
  })

  it('names https for a store without TLS', async () => {
    const endpoint = process.env.AWS_ENDPOINT_URL!.replace('http:', 'https:')
    const error = await withEnvironment({ AWS_ENDPOINT_URL: endpoint }, () =>
      failureOf(openBucket('s3://files/', S3).list()),
    )
    expect(error.message).toBe(
      's3://files/: the server does not answer with TLS (EPROTO). Check whether AWS_ENDPOINT_URL must begin with http:// or https://.',
    )
  })
})

describe('the settings of the SDK', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-profile-'))
  const config = path.join(folder, 'config')
  const withProfile = <Result>(name: string | undefined, work: () => Promise<Result>) =>
    withEnvironment(
      {
        ...Object.fromEntries(Object.keys(bucket.credentials).map((setting) => [setting, undefined])),
        AWS_PROFILE: name,
        AWS_CONFIG_FILE: config,
        AWS_SHARED_CREDENTIALS_FILE: path.join(folder, 'none'),
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      work,
    )
  beforeAll(() => {
    const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_ENDPOINT_URL: endpoint } = faulty.credentials
    writeFileSync(
      config,
      `[profile works]\nregion = eu-central-1\nendpoint_url = ${endpoint}\naws_access_key_id = ${key}\naws_secret_access_key = ${secret}\n` +
        '[profile sso]\nsso_session = office\nsso_account_id = 123456789012\nsso_role_name = backup\n' +
        '[sso-session office]\nsso_start_url = https://sso.test/start\nsso_region = us-east-1\n',
    )
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const ofProfile = () =>
    openBucket('s3://files/profile/', { profile: process.env.AWS_PROFILE, region: undefined, addressing: 'auto' })

  it('include region, endpoint and keys of a profile', async () => {
    await withProfile('works', async () => {
      await ofProfile().put('file', fileOf(CONTENT))
      await ofProfile().remove('file')
    })
    expect(faulty.requests[0]!.line).toMatch(/^PUT \/files\/profile\/file/)
    expect(faulty.requests[0]!.headers.authorization).toContain('/eu-central-1/s3/')
  })

  it.each([
    ['works-not', /the profile works-not has no credentials/, /^Check AWS_PROFILE/],
    ['sso', /SSO session/, /^Run "aws sso login"/],
    [undefined, /there are no credentials/, /^Set AWS_ACCESS_KEY_ID/],
  ])('name the fault of the profile %s', async (name, reason, mend) => {
    const error = await withProfile(name, () => failureOf(ofProfile().list()))
    expect([error.reason, error.mend]).toEqual([expect.stringMatching(reason), expect.stringMatching(mend)])
  })

  it('have the bucket in the path, except on AWS, unless S3_ADDRESSING_STYLE says otherwise', async () => {
    const hostOf = async (addressing: 'auto' | 'path' | 'virtual', endpoint: string) => {
      const env = { AWS_ENDPOINT_URL: endpoint }
      const { reason } = await withEnvironment(env, () =>
        failureOf(openBucket('s3://files/', { region: 'us-east-1', addressing }).list()),
      )
      return /(?:ENOTFOUND|EAI_AGAIN) (\S+?)\.?$/.exec(reason)?.[1]
    }
    expect(await hostOf('auto', 'http://store.invalid')).toBe('store.invalid')
    expect(await hostOf('path', 'http://store.invalid')).toBe('store.invalid')
    expect(await hostOf('virtual', 'http://store.invalid')).toBe('files.store.invalid')
  })
})

describe('versions of deleted objects', () => {
  const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  const rule = (filter: string, days: number) =>
    `<Rule><ID>a</ID><Status>Enabled</Status>${filter}<NoncurrentVersionExpiration><NoncurrentDays>${days}</NoncurrentDays></NoncurrentVersionExpiration></Rule>`
  const settings = (versioning: StoreReply, lifecycle: StoreReply) =>
    faulty.fail(({ line }) => (/versioning/.test(line) ? versioning : /lifecycle/.test(line) ? lifecycle : undefined))
  const xml = (body: string) => ({ status: 200, headers: { 'content-type': 'application/xml' }, body })

  it('are not kept without versioning', async () => {
    settings(xml('<VersioningConfiguration/>'), s3Error(404, 'NoSuchLifecycleConfiguration'))
    expect(await store.versioning()).toEqual({ keepsVersions: false })
  })

  it.each([
    ['no rules', s3Error(404, 'NoSuchLifecycleConfiguration'), undefined],
    ['hidden rules', s3Error(403, 'AccessDenied'), undefined],
    ['a rule for all objects', xml(`<LifecycleConfiguration>${rule('<Filter/>', 30)}</LifecycleConfiguration>`), 30],
    [
      'rules for other prefixes and for this one',
      xml(
        `<LifecycleConfiguration>${rule('<Filter><Prefix>b/</Prefix></Filter>', 1)}${rule('<Filter><Prefix>a</Prefix></Filter>', 7)}</LifecycleConfiguration>`,
      ),
      7,
    ],
  ])('are kept with versioning and %s', async (_, lifecycle, days) => {
    settings(xml(enabled), lifecycle)
    expect(await store.versioning()).toEqual({ keepsVersions: true, days })
  })

  it('are unknown if the service does not tell', async () => {
    settings(s3Error(403, 'AccessDenied'), s3Error(403, 'AccessDenied'))
    expect(await store.versioning()).toBeUndefined()
  })
})

describe('a part of an object', () => {
  it.each([
    ['sends', (line: string) => line],
    ['ignores', undefined],
  ])('is read from a store that %s it', async (_, supported) => {
    await store.put('file', fileOf(CONTENT))
    if (!supported)
      faulty.fail(({ line }) => (line.startsWith('GET') ? { status: 200, body: CONTENT.toString() } : undefined))
    for (const [start, end] of [
      [0, 4],
      [5, 8],
      [CONTENT.length - 3, CONTENT.length],
    ] as const)
      expect(await buffer(await store.read('file', { start, end }))).toEqual(CONTENT.subarray(start, end))
    faulty.fail(() => undefined)
    await store.remove('file')
  })
})
