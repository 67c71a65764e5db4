import { execFile, spawn } from 'node:child_process'
import crypto, { createHmac } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { newSecret, signatureHeaders } from '../src/lib/webhook-signature.ts'
import { type GuideRequest, guideRequests, ignoredMembers } from './support/guide-requests.ts'
import { freePort } from './support/process.ts'
import { respond } from './support/respondents.ts'
import { makeSurvey } from './support/responses.ts'
import { waitUntil } from './support/wait-until.ts'
import { type Person, useWorld } from './support/world.ts'

const world = useWorld()
let ann: Person
let survey: number

beforeAll(async () => {
  ann = await world.person()
  const choices = [{ label: 'Tea' }, { label: 'Coffee' }]
  survey = await makeSurvey(ann, {
    title: 'Drinks',
    form: [
      {
        children: [
          { idname: 'single-choice', id: 'drink', title: 'Drink?', children: [{ type: 'single', choices }] },
          { idname: 'text-response', id: 'remark', title: 'Remark?', children: [{}] },
        ],
      },
    ],
  })
  await respond(world, survey, { answers: { drink: 0 } })
})

/** Returns the code blocks of a guide in one language, in order. */
async function blocksOf(file: string, language: string): Promise<string[]> {
  const guide = await readFile(file, 'utf8')
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter((block) => block[1] === language)
    .map((block) => block[2]!)
}

interface ProgramResult {
  code: number
  output: string
}

/** Runs a program from standard input. */
function run(
  command: string,
  args: readonly string[],
  program: string,
  env: Record<string, string> = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
    child.stdin!.end(program)
  })
}

/** Writes the arguments of each call to the file `requests`, each followed by NUL, and NUL after the last one. */
const CURL =
  'set -euo pipefail\ncurl() { printf "%s\\0" "$@" "" >> "$REQUESTS"; command curl -sS --fail-with-body "$@"; }\n'

/** Checks that the service knows every member that a guide sends, and has stored what the guide says. */
async function expectMade(requests: readonly GuideRequest[]): Promise<void> {
  expect(requests.flatMap(ignoredMembers)).toEqual([])
  for (const { method, url, body } of requests) {
    if (method === 'POST' && url.pathname === '/api/v3/surveys/' && body.structure !== undefined)
      expect(await questionsOf((await newestSurvey(String(body.name))).survey_structure_uri)).toEqual(
        questionsIn(body.structure),
      )
    if (method !== 'PUT' || Object.keys(body).length === 0) continue
    const { body: sent } = requests.findLast((other) => other.method === 'PUT' && other.url.pathname === url.pathname)!
    if (sent.form !== undefined) expect(await questionsOf(url.pathname)).toEqual(questionsIn(sent))
    else expect((await ann.get(url.pathname)).body).toMatchObject(asStored(sent))
  }
}

/** Returns members as the service returns them: the texts of forms as numbers, and times with milliseconds. */
const asStored = (members: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (typeof value !== 'string' || value === '') return [name, value]
      return [
        name,
        /^\d{4}-.*Z$/.test(value) ? new Date(value).toISOString() : /^\d+$/.test(value) ? Number(value) : value,
      ]
    }),
  )

const newestSurvey = async (name: string) =>
  (await ann.get(`/api/v3/surveys/?page_size=200&search=${encodeURIComponent(name)}`)).body.results.at(-1)

type Form = { form: { children: { id: string }[] }[] }

const questionsIn = (structure: unknown): string[] =>
  (structure as Form).form.flatMap(({ children }) => children.map(({ id }) => id))

const questionsOf = async (address: string): Promise<string[]> => questionsIn((await ann.get(address)).body)

const guides = readdirSync('docs/guides').filter((name) => name !== 'README.md')

describe.each(['openapi/v2/guide.md', 'openapi/v3/guide.md', ...guides.map((name) => `docs/guides/${name}`)])(
  '%s',
  (file) => {
    it('has only commands that succeed', async () => {
      const commands = (await blocksOf(file, 'sh')).filter((block) => !/verify\(\)|CANVASS=/.test(block))
      expect(commands.length).toBeGreaterThan(0)
      const folder = await mkdtemp(path.join(tmpdir(), 'canvass-guide-'))
      const requests = path.join(folder, 'requests')
      const env = {
        CANVASS: world.base,
        AUTH: `${ann.actor.username}:${ann.password}`,
        SURVEY: String(survey),
        REQUESTS: requests,
      }
      for (const name of ['logo.png', 'kitchen.jpg'])
        await copyFile(new URL('support/logo.png', import.meta.url), path.join(folder, name))
      try {
        for (const command of commands) {
          const { code, output } = await run('bash', [], `${CURL}cd '${folder}'\n${command}`, env)
          const [, file] = /-o (\S+\.(?:xlsx|sav|dta|parquet|jsonl))/.exec(command) ?? []
          const result = file ? await readFile(path.join(folder, file), 'latin1') : output
          expect([command, result, code]).toEqual([
            command,
            expect.stringMatching(/^[[{]|^\uFEFF?"|^(_|response_)completed,|^PK|^\$FL2|^<stata_dta>|^PAR1/),
            0,
          ])
        }
        await expectMade(guideRequests(await readFile(requests, 'utf8')))
      } finally {
        await rm(folder, { recursive: true })
      }
    })
  },
)

type Message = [title: string, headers: ReturnType<typeof signatureHeaders>, body: string, isValid: boolean]

/** Returns messages of which a receiver accepts the first only. */
function messagesWith(body: string, secret: string): Message[] {
  const at = (seconds: number) =>
    signatureHeaders([newSecret(), secret], 'msg_1', new Date(Date.now() + seconds * 1000), body)
  return [
    ['a valid message', at(0), body, true],
    ['a changed message', at(0), body.replace('12', '13'), false],
    ['a message that is a year old', at(-31_536_000), body, false],
    ['a message with another secret', signatureHeaders([newSecret()], 'msg_1', new Date(), body), body, false],
  ]
}

describe('the published code that verifies a webhook signature [spec 11.4]', () => {
  const BODY = 'survey_name=Tea+%26+cake&id=12'
  const secret = newSecret()
  const messages = messagesWith(BODY, secret)

  it('verifies signatures that match an independent implementation of HMAC-SHA256', () => {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = messages[0]![1]
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(signatures).toContain(`v1,${createHmac('sha256', key).update(`${id}.${time}.${BODY}`).digest('base64')}`)
  })

  describe.each([
    [
      'TypeScript',
      'ts',
      (code: string, headers: object, body: string) =>
        run(
          process.execPath,
          ['--input-type=module-typescript', '-'],
          `${code}\nconsole.log(verify(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, ${JSON.stringify(body)}))`,
        ),
    ],
    [
      'Python',
      'python',
      (code: string, headers: object, body: string) =>
        run(
          'python3',
          ['-'],
          `${code}\nprint(str(verify(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, b${JSON.stringify(body)})).lower())`,
        ),
    ],
    [
      'a shell',
      'sh',
      (code: string, headers: Record<string, string>, body: string) =>
        run(
          'bash',
          [],
          `${code}\nprintf %s '${body}' | verify '${secret}' '${headers['webhook-id']}' '${headers['webhook-timestamp']}' '${headers['webhook-signature']}' && echo true || echo false`,
        ),
    ],
  ] as const)('in %s', (_, language, call) => {
    it.each(messages)('returns the correct result for %s', async (_title, headers, body, isValid) => {
      const code = (await blocksOf('openapi/v3/guide.md', language)).find((block) => /\bverify\b/.test(block))!
      expect((await call(code, { ...headers }, body)).output.trim()).toBe(String(isValid))
    })
  })
})

describe('the receivers in docs/guides/webhooks.md [spec 11.4]', () => {
  const BODY = '{"survey_name":"Tea & cäke","id":"12"}'
  const secret = newSecret()
  const messages = messagesWith(BODY, secret)

  it('accept valid messages only, as a program with the Standard Webhooks library', async () => {
    const [code] = await blocksOf('docs/guides/webhooks.md', 'js')
    const port = await freePort()
    const receiver = spawn(process.execPath, ['--input-type=module', '--eval', code!], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    })
    try {
      const send = (headers: object, body: string) =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { ...headers }, body })
      const isRunning = async () => (await send({}, '').catch(() => undefined)) !== undefined
      await waitUntil(isRunning, 10_000)
      for (const [title, headers, body, isValid] of messages)
        expect([title, (await send(headers, body)).status]).toEqual([title, isValid ? 204 : 400])
    } finally {
      receiver.kill()
    }
  })

  it('accept valid messages only, as a function node of Node-RED', async () => {
    const [code] = await blocksOf('docs/guides/webhooks.md', 'javascript')
    const node = new Function('msg', 'env', 'crypto', code!)
    for (const [title, headers, body, isValid] of messages) {
      const message = { req: { headers }, payload: Buffer.from(body) }
      const output = node(message, { get: () => secret }, crypto)
      expect([title, output?.payload]).toEqual([title, isValid ? JSON.parse(body) : undefined])
    }
  })
})
