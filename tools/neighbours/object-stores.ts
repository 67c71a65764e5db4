// Stores files of respondents and backups in moto and versitygw, through the server and the commands: upload, download,
// deletion, backup, pruning, restore, and what doctor says about mistakes. The backups are in a bucket with Object Lock
// (moto), the files in a bucket with versions (versitygw). Installs what is missing; needs Python and Go.
// Run: node tools/run.ts tools/neighbours/object-stores.ts
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import pg from 'pg'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import type { Finding } from '../../src/lib/finding.ts'
import { freePort } from '../../test/support/process.ts'
import { runCanvass } from '../../test/support/run-canvass.ts'
import { type RunningServer, startServer } from '../../test/support/running-server.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import { goTool } from '../contract/install.ts'

const REGION = 'eu-central-1'
const START_LIMIT_MS = 30_000
/** The job that deletes objects runs every minute. */
const DELETION_LIMIT_MS = 90_000
const FILES = 's3://files/canvass/'
const BACKUPS = 's3://backups/canvass/'
const MOTO = ['moto==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5', 'pyyaml==6.0.4', 'py-partiql-parser==0.6.3']
const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'

const QUESTION = {
  idname: 'file-upload',
  id: 'photo',
  title: 'Your kitchen',
  children: [{ fileTypes: ['image'], maxSize: 25 }],
}

interface Store {
  name: string
  /** Returns the program, its arguments and its environment variables. */
  prepare(port: number, folder: string): Promise<{ program: string; args: string[]; env?: Record<string, string> }>
  /** Prepares the buckets `files` and `backups`. */
  setUp(client: S3Client): Promise<unknown>
  /** Settings with a mistake, and what doctor says to do about it. moto checks neither keys nor regions. */
  mistakes: readonly (readonly [Record<string, string>, RegExp])[]
  /** What doctor says about the versions of deleted files. */
  versions: Finding['status']
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'neighbour', AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-neighbours' }
const MISSING = [{ FILES_URL: 's3://missing/', BACKUP_TO: 's3://missing/' }, /^Create it first/] as const

const stores: readonly Store[] = [
  {
    name: 'moto',
    async prepare(port) {
      const bin = await virtualEnvironment(path.resolve('build/venv/stores'), MOTO, 'make test-slow')
      return { program: path.join(bin, 'moto_server'), args: ['-H', '127.0.0.1', '-p', String(port)] }
    },
    setUp: (client) =>
      client.send(
        new PutObjectLockConfigurationCommand({
          Bucket: 'backups',
          ObjectLockConfiguration: {
            ObjectLockEnabled: 'Enabled',
            Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } },
          },
        }),
      ),
    mistakes: [MISSING],
    versions: 'ok',
  },
  {
    name: 'versitygw',
    async prepare(port, folder) {
      const [data, versions] = ['data', 'versions'].map((name) => path.join(folder, name))
      for (const name of [data!, versions!]) mkdirSync(name)
      return {
        program: await goTool(VERSITYGW),
        args: ['--port', `127.0.0.1:${port}`, '--region', REGION, 'posix', '--versioning-dir', versions!, data!],
        env: { ROOT_ACCESS_KEY: CREDENTIALS.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: CREDENTIALS.AWS_SECRET_ACCESS_KEY },
      }
    },
    setUp: (client) =>
      client.send(new PutBucketVersioningCommand({ Bucket: 'files', VersioningConfiguration: { Status: 'Enabled' } })),
    mistakes: [
      MISSING,
      [{ AWS_ACCESS_KEY_ID: 'unknown' }, /^Check AWS_ACCESS_KEY_ID/],
      [{ AWS_SECRET_ACCESS_KEY: 'wrong' }, /^Check AWS_SECRET_ACCESS_KEY/],
      [{ AWS_REGION: 'us-west-1' }, /^Set AWS_REGION=eu-central-1/],
      [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, /^Check that the store runs/],
      [{ AWS_ENDPOINT_URL: 'http://store.invalid', S3_ADDRESSING_STYLE: 'virtual' }, /S3_ADDRESSING_STYLE=path/],
    ],
    versions: 'warning',
  },
]

const hasGo = !spawnSync('go', ['version']).error
if (!hasGo) console.log('neighbours: versitygw is not tried, because Go is not installed')
await Promise.all(stores.filter(({ name }) => hasGo || name !== 'versitygw').map(tryStore))

async function tryStore(store: Store): Promise<void> {
  const folder = temporaryFolder()
  const port = await freePort()
  const { program, args, env } = await store.prepare(port, folder)
  const log = path.join(folder, 'log')
  const output = openSync(log, 'a')
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  })
  const settings = { ...CREDENTIALS, AWS_REGION: REGION, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` }
  const client = new S3Client({
    region: REGION,
    endpoint: settings.AWS_ENDPOINT_URL,
    forcePathStyle: true,
    credentials: { accessKeyId: settings.AWS_ACCESS_KEY_ID, secretAccessKey: settings.AWS_SECRET_ACCESS_KEY },
  })
  let server: RunningServer | undefined
  try {
    await waitUntil(() => isReady(client, child), START_LIMIT_MS)
    const location = { CreateBucketConfiguration: { LocationConstraint: REGION } } as const
    await client.send(new CreateBucketCommand({ Bucket: 'files', ...location }))
    await client.send(new CreateBucketCommand({ Bucket: 'backups', ...location, ObjectLockEnabledForBucket: true }))
    await store.setUp(client)
    const canvass = { ...settings, FILES_URL: FILES, BACKUP_TO: BACKUPS, BACKUP_SCHEDULE: '0 0 1 1 *' }
    server = await startServer(canvass)
    await checkFiles(client, server)
    await checkBackups(client, server, settings)
    await checkDoctor(store, server, canvass)
    await waitUntil(async () => (await objectsOf(client, 'files')).length === 0, DELETION_LIMIT_MS)
    console.log(`neighbours: ${store.name} stores, sends and deletes files and backups, and doctor names mistakes`)
  } catch (error) {
    console.error(
      `neighbours: ${store.name}\n${readFileSync(log, 'utf8').slice(-2_000)}\n${server?.output().slice(-2_000)}`,
    )
    throw error
  } finally {
    await server?.stop()
    client.destroy()
    child.kill('SIGKILL')
  }
}

async function isReady(client: S3Client, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('The store has ended.')
  const failure = await client.send(new ListObjectsV2Command({ Bucket: 'files' })).then(
    () => undefined,
    (error) => error,
  )
  return failure?.$metadata?.httpStatusCode !== undefined
}

async function objectsOf(client: S3Client, Bucket: string): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
  return Contents.map(({ Key }) => Key!)
}

/** A respondent uploads a file, the owner reads it and parts of it, and deletes it. */
async function checkFiles(client: S3Client, { client: owner, base }: RunningServer): Promise<void> {
  const content = Buffer.concat([readFileSync('test/support/logo.png'), randomBytes(20_000_000)])
  const { body: survey } = await owner.post('/api/v3/surveys/', { json: { name: 'Kitchens' } })
  const structure = { title: 'Kitchens', form: [{ children: [QUESTION] }] }
  strictEqual((await owner.put(`/api/v3/surveys/${survey.id}/structure/`, { json: structure })).status, 200)
  await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { open: true } })
  const address = new URL((await owner.get(`/api/v3/surveys/${survey.id}/`)).body.deploy_url, base)
  const page = await (await fetch(address)).text()
  const form = new FormData()
  for (const name of ['_key', '_page', '_draft', '_started']) {
    const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(page) ?? []
    if (value) form.append(name, value)
  }
  const [, action] = /<form[^>]* method="post" action="([^"]*)"/.exec(page) ?? []
  form.append('photo\\file', new File([content], 'kitchen.png', { type: 'image/png' }))
  const reply = await fetch(new URL(action!.replaceAll('&amp;', '&'), base), { method: 'POST', body: form })
  match(await reply.text(), /Thank you!/)
  const [response] = (await owner.get(`/api/v3/surveys/${survey.id}/responses/`)).body.results
  const responsePath = `/api/v3/surveys/${survey.id}/responses/${response._id}/`
  const [file] = (await owner.get(`${responsePath}files/`)).body.results
  deepStrictEqual(await objectsOf(client, 'files'), [`canvass/${survey.id}/${file.key}`])
  const read = async (headers: Record<string, string> = {}) => {
    const sent = await fetch(file.file_uri, { headers: { authorization: owner.authorization!, ...headers } })
    return [sent.status, sent.headers.get('content-length'), Buffer.from(await sent.arrayBuffer())] as const
  }
  const [status, length, whole] = await read()
  deepStrictEqual([status, length, whole.equals(content)], [200, String(content.length), true])
  const [partial, , rest] = await read({ range: `bytes=${content.length - 7}-` })
  deepStrictEqual([partial, rest], [206, content.subarray(-7)])
  strictEqual((await owner.delete(responsePath)).status, 200)
  // The file is deleted with the response, which is in the trash first.
  strictEqual((await owner.delete(`/api/v3/surveys/${survey.id}/responses/trash/`)).body.erased, 1)
}

/** Two backups with several parts, of which the older is deleted, are verified and restored. */
async function checkBackups(client: S3Client, server: RunningServer, settings: Record<string, string>): Promise<void> {
  const url = server.databaseUrl()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const key = 'f'.repeat(32)
  await database.query(
    `insert into uploaded_file (survey_id, key, question_id, name, type, bytes, created_at)
      select id, $1, 'photo', 'a.png', 'image/png', 36000000, now() from survey`,
    [key],
  )
  for (let row = 0; row < 36; row += 1)
    await database.query(
      'insert into uploaded_file_chunk (survey_id, key, number, content) select id, $1, $2, $3 from survey',
      [key, row, randomBytes(1_000_000)],
    )
  await database.end()
  const secrets = { ...settings, BACKUP_PASSPHRASE: 'a passphrase', DATA_DIR: path.join(server.dataDir, 'data') }
  const backUp = async () => {
    const { code, output } = await runCanvass(
      { ...secrets, DATABASE_URL: url },
      'backup',
      '--keep',
      '1',
      '--to',
      BACKUPS,
    )
    strictEqual(code, 0, output)
    return /Backup: (\S+) \(verified\)/.exec(output)![1]!
  }
  await backUp()
  // The name of a backup contains its time to the second.
  await pause(1_000)
  const last = await backUp()
  deepStrictEqual(
    (await objectsOf(client, 'backups')).map((key) => `s3://backups/${key}`),
    [last],
  )
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'backups' }))
  deepStrictEqual(Uploads, [])
  const restored = await runCanvass({ ...secrets, DATA_DIR: path.join(server.dataDir, 'restored') }, 'restore', last)
  strictEqual(restored.code, 0, restored.output)
}

/** Doctor finds nothing with the right settings, and names each mistake. */
async function checkDoctor(store: Store, server: RunningServer, settings: Record<string, string>): Promise<void> {
  const diagnose = async (other: Record<string, string> = {}) => {
    const env = {
      ...settings,
      DATA_DIR: path.join(server.dataDir, 'data'),
      DATABASE_URL: server.databaseUrl(),
      ...other,
    }
    const { output } = await runCanvass(env, 'doctor', '--json')
    const { findings } = JSON.parse(output) as { findings: Finding[] }
    return findings.filter(({ check }) => /^(files|backups)\./.test(check))
  }
  for (const { check, status, message } of await diagnose())
    strictEqual(status, check === 'files.versions' ? store.versions : 'ok', message)
  for (const [mistake, mend] of store.mistakes) {
    const errors = (await diagnose(mistake)).filter(({ status }) => status === 'error')
    deepStrictEqual(
      errors.map(({ check }) => check),
      ['files.write', 'backups.write'],
    )
    for (const error of errors) ok(mend.test(error.mend!), `${error.message} ${error.mend}`)
  }
}
