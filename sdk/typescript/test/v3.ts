// Uses version 3 through the installed package. Throws if an assertion fails.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import {
  APITimeoutError,
  Canvass,
  CanvassError,
  csvRecords,
  NotFoundError,
  RateLimitError,
  webhooks,
} from 'canvass-client'
import type { Survey, SurveyResponse } from 'canvass-client/v3'

const canvass = new Canvass()
const { v3 } = canvass
const choices = ['Soup', 'Curry', 'Pizza'].map((label) => ({ label }))

const survey: Survey = await v3.createSurvey({ body: { name: 'Lunch on Friday' } })
const path = { survey_id: survey.id }
await v3.updateStructure({
  path,
  body: {
    title: 'Lunch on Friday',
    form: [
      {
        children: [
          { idname: 'single-choice', id: 'meal', title: 'What?', children: [{ choices }] },
          { idname: 'text-response', id: 'notes', title: 'Notes?', children: [{}] },
          { idname: 'text-response', id: 'age', title: 'Age?', children: [{ validation: { kind: 'integer' } }] },
        ],
      },
    ],
  },
})

const ids: number[] = []
for (let n = 0; n < 25; n += 1) {
  const body = { meal: n % 3, notes: `line one\nsaid "${n}", ü, 汉`, age: n, _completed: 1 } as const
  ids.push((await v3.createResponse({ path, body })).id)
}

// Pagination yields every response once, in order.
const listedIds: number[] = []
for await (const response of v3.paginate.listResponses({ path, query: { page_size: 4 } })) listedIds.push(response._id)
assert.deepEqual(listedIds, ids)

const matches: unknown[] = []
const answers = { meal: 'Curry', age: { '>=': 4, '<': 13 } }
const meta = { _completed: 1, _created_at: { '>': '2001-01-01' } }
for await (const response of v3.paginate.listResponses({
  path,
  query: { ...meta, answers, include_labels: true, page_size: 2 },
}))
  matches.push([response.age, response.meal])
assert.deepEqual(matches.map(String), ['4,Curry', '7,Curry', '10,Curry'])

const selectedIds = ids.slice(3, 6)
const records: Record<string, string>[] = []
for await (const record of v3.csvRecords({ path, query: { include_labels: true, ids: selectedIds } }))
  records.push(record)
assert.deepEqual(
  records.map(({ _id, meal, notes }) => [_id, meal, notes]),
  selectedIds.map((id, n) => [String(id), choices[n]!.label, `line one\nsaid "${n + 3}", ü, 汉`]),
)
// A loop that stops early closes the connection.
for await (const row of v3.csvRows({ path })) {
  assert.equal(row[1], '_id')
  break
}
assert.match(await v3.exportCsv({ path, query: { include: ['meal'] } }), /^_completed,.*,meal\r\n/)

const rejection = await v3.createResponse({ path, body: { meal: 'Cake' } }).catch((error: unknown) => error)
assert(rejection instanceof CanvassError)
assert.equal(rejection.status, 400)
assert.equal(rejection.fieldErrors[0]?.field, 'meal')
assert.match(rejection.requestId ?? '', /./)
assert.match(rejection.message, /meal/)
const missing = await v3.getSurvey({ path: { survey_id: 999_999 } }).catch((error: unknown) => error)
assert(missing instanceof NotFoundError && missing.code === 'survey_not_found' && missing.status === 404)

// Operations grouped by resource.
const page = await v3.responses.list(survey.id, { query: { _completed: [1], page_size: 3 } })
assert.deepEqual([page.count, page.results.length], [25, 3])
const feed = v3.responses.paginateChanges(survey.id, { query: { page_size: 4 } })
const created: number[] = []
for await (const { kind, response_id } of feed) if (kind === 'created') created.push(response_id)
assert.deepEqual(created, ids)
const later = v3.paginate.listResponseChanges({ path, query: { since: feed.cursor, include: 'response' } })
await v3.responses.update(survey.id, ids[0]!, { body: { notes: 'edited' } })
for await (const { kind, response } of later) assert.deepEqual([kind, response?.notes], ['edited', 'edited'])
assert.notEqual(later.cursor, feed.cursor)

// Everything about a response, and options of a call.
const read = await v3.settings.get(survey.id).withResponse()
assert.deepEqual(
  [read.status, read.retries, read.data.redirect_url],
  [200, 0, (await v3.getSettings({ path })).redirect_url],
)
assert.match(read.requestId ?? '', /./)
const headers = { 'If-Match': read.headers.get('etag')! }
await v3.settings.update(survey.id, { headers, body: { redirect_url: 'https://example.org/thanks' } })
const conflict = await v3.updateSettings({ path, headers, body: {} }).catch((error: unknown) => error)
assert(conflict instanceof CanvassError && conflict.code === 'precondition_failed' && !conflict.maybeApplied)
const idempotencyKey = crypto.randomUUID()
const [one, two] = [
  await v3.createTemplate({ body: { name: 'Lunch', structure: { title: 'Lunch' } }, idempotencyKey }),
  await v3.createTemplate({ body: { name: 'Lunch', structure: { title: 'Lunch' } }, idempotencyKey }),
]
assert.equal(one.id, two.id)

const ben = await v3.createContact({ body: { name: 'Ben', email: 'ben@example.org', team: 'blue' } })
assert.equal(ben.team, 'blue')
const imported = await v3.importContacts({ body: 'name,email\r\nZoë,zoe@example.org\r\n' })
assert.equal(imported.created, 1)
const people: string[] = []
for await (const { name } of csvRecords((await v3.exportContacts({ parseAs: 'stream' })) as unknown as ReadableStream))
  people.push(name ?? '')
assert.deepEqual(people.sort(), ['Ben', 'Zoë'])

const hook = await v3.createWebhook({
  body: { event: 'response_complete', subscription_url: process.env.RECEIVER_URL! },
})
assert.match(hook.secret, /^whsec_/)
const now = String(Math.floor(Date.now() / 1000))
const message = 'id=1&name=Zo%C3%AB'
const signatureOf = (time: string) =>
  createHmac('sha256', Buffer.from(hook.secret.slice('whsec_'.length), 'base64'))
    .update(`msg_1.${time}.${message}`)
    .digest('base64')
const signedAt = (time: string, signature = signatureOf(time)) => ({
  'Webhook-Id': 'msg_1',
  'webhook-timestamp': time,
  'webhook-signature': `v1,AAAA v0,%% v1,${signature}`,
})
assert.equal(await webhooks.verify(hook.secret, signedAt(now), message), true)
assert.equal(await webhooks.verify(hook.secret, new Headers(signedAt(now)), new TextEncoder().encode(message)), true)
assert.equal(await webhooks.verify(hook.secret, signedAt(now), `${message}!`), false)
assert.equal(await webhooks.verify(hook.secret, signedAt(now, 'no base64'), message), false)
assert.equal(await webhooks.verify(hook.secret, signedAt(String(Number(now) - 600)), message), false)
assert.equal(await webhooks.verify(hook.secret, signedAt('soon'), message), false)
assert.equal(await webhooks.verify(hook.secret, {}, message), false)
await assert.rejects(webhooks.unwrap(message, signedAt(now), hook.secret), /event of the message is unknown/)
await assert.rejects(webhooks.unwrap('a=1', signedAt(now), hook.secret), webhooks.WebhookVerificationError)

// The same account with its API key, through a proxy that first replies with 429 and 503.
const busy = {
  baseUrl: process.env.PROXY_URL!,
  apiKey: process.env.API_KEY!,
  password: process.env.CANVASS_PASSWORD!,
}
assert.equal((await new Canvass(busy).v3.getSurvey({ path })).name, 'Lunch on Friday')
const unavailable = await new Canvass({ ...busy, maxRetries: 0 }).v3.listSurveys().catch((error: unknown) => error)
assert(unavailable instanceof CanvassError && unavailable.status === 503 && unavailable.code === 'http_error')
const rateLimited = await new Canvass(busy).v3.listSurveys().catch((error: unknown) => error)
assert(rateLimited instanceof RateLimitError && rateLimited.status === 429 && rateLimited.retryAfter === 3600)
// A truncated file throws.
const rows: string[][] = []
await assert.rejects(async () => {
  for await (const row of new Canvass(busy).v3.csvRows({ path })) rows.push(row)
})
assert.deepEqual(rows, [
  ['_completed', '_id'],
  ['Complete', '1'],
])
const unauthenticated = await new Canvass({ ...busy, baseUrl: process.env.CANVASS_URL!, password: 'pässwörd' }).v3
  .getIndex()
  .catch((error: unknown) => error)
assert(unauthenticated instanceof CanvassError && unauthenticated.status === 401)
assert.throws(() => new Canvass({ username: 'ann' }), /Credentials/)
let sent: string | null = null
const spy: typeof fetch = async (request) => {
  sent = (request as Request).headers.get('authorization')
  return Response.json({})
}
await new Canvass({ token: 'cvt_1', fetch: spy }).v3.getIndex()
assert.equal(sent, 'Bearer cvt_1')

// Responses of other servers throw; new enum values of a newer service are passed through.
const clientWith = (send: typeof fetch, timeout?: number) =>
  new Canvass({ token: 'cvt_1', timeout, fetch: send, maxRetries: 2, maxRetryDelay: 0.1 }).v3
const errorOf = (send: typeof fetch, timeout?: number) =>
  clientWith(send, timeout)
    .getSurvey({ path })
    .catch((error: Error & { code?: unknown }) => error)
const html = { headers: { 'Content-Type': 'text/html' } }
assert.match(
  String(await errorOf(async () => new Response('<p>Welcome', html))),
  /200 the response is not from Canvass/,
)
const proxyError = await errorOf(async () =>
  Response.json({ errors: 'many', description: [1], code: 7 }, { status: 502 }),
)
assert(proxyError instanceof CanvassError && proxyError.code === 'http_error' && proxyError.fieldErrors.length === 0)
const neverResponds: typeof fetch = (request) =>
  new Promise<Response>((_, reject) => {
    const { signal } = request as Request
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
const timedOut = await errorOf(neverResponds, 0.01)
assert(timedOut instanceof APITimeoutError && timedOut.code === 'timeout' && timedOut.retries === 2)
let userAgent: string | null = null
const newer = clientWith(async (request) => {
  userAgent = (request as Request).headers.get('user-agent')
  return Response.json({ results: [{ kind: 'merged' }] })
})
assert.equal(String((await newer.listResponseChanges({ path })).results[0]?.kind), 'merged')
assert.match(userAgent ?? '', /^canvass-client-typescript\/4\.\d+\.\d+ canvass-api\/3\.\d+\.\d+ node\//)

const first: SurveyResponse = await v3.getResponse({ path: { ...path, response_id: ids[0]! } })
assert.equal(first._id, ids[0])
await v3.deleteContact({ path: { contact_id: ben.id } })
assert.equal(await v3.deleteResponse({ path: { ...path, response_id: ids[0]! } }), 'OK')

// Type errors.
// @ts-expect-error a survey needs a name
void (() => v3.createSurvey({ body: {} }))
// @ts-expect-error there is no such operation
void (() => v3.createSurveys)
// @ts-expect-error the id is a number
void (() => v3.getSurvey({ path: { survey_id: 'one' } }))
console.log(JSON.stringify({ survey: survey.id, webhook: hook.id }))
