// Calls through a server that breaks connections and replies with errors. Throws if an assertion fails.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  APIConnectionError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  Canvass,
  CanvassError,
  ConflictError,
  GoneError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  PreconditionFailedError,
  RateLimitError,
  UnprocessableEntityError,
} from 'canvass-client'

setFlagsFromString('--expose-gc')
/** Collects garbage. A call must not lose its timeout or its signal while it waits for a reply. */
const collectGarbage = runInNewContext('gc') as () => void

type Reply = (response: ServerResponse, request: IncomingMessage) => unknown
const replies: Reply[] = []
const received: IncomingMessage[] = []
const server = createServer((request, response) => {
  received.push(request)
  replies.shift()!(response, request)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const canvass = new Canvass({ baseUrl, token: 'cvt_1', maxRetryDelay: 0.05 })
const path = { survey_id: 1 }

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
const reset: Reply = (response) => response.destroy()
const silence: Reply = () => setTimeout(collectGarbage, 20)
const half: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"id":')
  setTimeout(() => response.destroy(), 10)
}
const survey = json(
  200,
  { id: 1 },
  { 'X-Request-Id': 'r1', RateLimit: '"address";r=9, "account";r=4;t=7', 'RateLimit-Policy': '"account";q=5;w=60' },
)

/** Returns the result or the error of a call, and the requests that it caused. */
async function outcome<T>(call: () => Promise<T>, ...next: Reply[]) {
  replies.splice(0, replies.length, ...next)
  received.length = 0
  const result = await call().catch((error: CanvassError) => error)
  assert.equal(replies.length, 0, 'the client made too few requests')
  return { result, requests: [...received] }
}

// Every fault is retried, and all attempts of a POST have one key.
for (const fault of [
  reset,
  half,
  json(408, {}),
  json(429, {}),
  json(500, {}),
  json(502, {}),
  json(503, {}),
  json(504, {}),
  json(409, { code: 'busy' }),
]) {
  const { result } = await outcome(() => canvass.v3.getSurvey({ path }).withResponse(), fault, fault, survey)
  assert(!(result instanceof Error))
  assert.deepEqual([result.data.id, result.retries, result.requestId, result.status], [1, 2, 'r1', 200])
  assert.deepEqual(result.rateLimit, { policy: 'account', remaining: 4, reset: 7, limit: 5, window: 60 })
}
const post = () => canvass.v3.createSurvey({ body: { name: 'Lunch' } })
const inProgress = json(409, { code: 'request_in_progress' }, { 'Retry-After': '0' })
const { requests } = await outcome(post, reset, json(500, {}), inProgress, json(201, { id: 2 }))
const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
assert.equal(keys.size, 1)
assert.match(String([...keys]), /^[0-9a-f]{32}$/)
const next = await outcome(post, json(201, { id: 3 }))
assert(!keys.has(next.requests[0]!.headers['idempotency-key']))
const own = await outcome(
  () => canvass.v3.surveys.create({ body: { name: 'x' }, idempotencyKey: 'mine', headers: { 'X-Trace': 'a' } }),
  json(201, {}),
)
assert.deepEqual([own.requests[0]!.headers['idempotency-key'], own.requests[0]!.headers['x-trace']], ['mine', 'a'])

// An error of the caller is final, and so is a delay that is too long.
const CLASSES = [
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, GoneError],
  [412, PreconditionFailedError],
  [422, UnprocessableEntityError],
] as const
for (const [status, Class] of CLASSES) {
  const { result } = await outcome(post, json(status, { code: 'x', detail: 'no' }))
  assert(result instanceof Class && result instanceof CanvassError)
  assert.deepEqual(
    [result.status, result.message, result.retries, result.name],
    [status, `${status} no`, 0, Class.name],
  )
}
const limited = await outcome(post, json(429, { code: 'too_many_requests' }, { 'Retry-After': '9' }))
assert(limited.result instanceof RateLimitError && limited.result.retryAfter === 9)
const answers = () => canvass.v2.createResponse({ path, body: { meal: 'Cake' } })
const invalid = await outcome(answers, json(500, { code: 'survey_error', description: [['meal', 'no such choice']] }))
assert(invalid.result instanceof BadRequestError && invalid.result.fieldErrors[0]?.field === 'meal')

// The number of retries of the call takes precedence over that of the client.
const fourTimes = await outcome(post, reset, reset, reset, reset)
assert(
  fourTimes.result instanceof APIConnectionError && fourTimes.result.retries === 3 && fourTimes.result.maybeApplied,
)
assert.equal(fourTimes.result.code, 'connection_failed')
const unavailable = await outcome(() => canvass.v3.getSurvey({ path, maxRetries: 1 }), json(503, {}), json(503, {}))
assert(unavailable.result instanceof InternalServerError && unavailable.result.retries === 1)

// A repeated DELETE can find nothing, because the first one succeeded.
const deletion = () => canvass.v3.deleteSurvey({ path })
const gone = await outcome(deletion, reset, json(404, { code: 'survey_not_found' }))
assert(gone.result instanceof NotFoundError && gone.result.maybeApplied)
const missing = await outcome(deletion, json(503, {}), json(404, {}))
assert(missing.result instanceof NotFoundError && !missing.result.maybeApplied)

// Timeouts and signals of a call.
const late = await outcome(() => canvass.v3.getSurvey({ path, timeout: 0.1, maxRetries: 0 }), silence)
assert(late.result instanceof APITimeoutError && late.result instanceof APIConnectionError)
const started = performance.now()
const aborted = await outcome(() => canvass.v3.getSurvey({ path, signal: AbortSignal.timeout(100) }), silence)
assert.equal((aborted.result as Error).name, 'TimeoutError')
assert(performance.now() - started < 2000)

// A download continues after a break if the file is the same.
const file = 'meal,notes\r\nSoup,none\r\nCurry,all\r\n'
const part =
  (from: number, to: number): Reply =>
  (response, { headers }) => {
    assert.deepEqual(
      [headers.range, headers['if-range']],
      from > 0 ? [`bytes=${from}-`, '"f1"'] : [undefined, undefined],
    )
    response.writeHead(from > 0 ? 206 : 200, { 'Content-Type': 'text/csv', ETag: '"f1"' }).write(file.slice(from, to))
    setTimeout(() => (to === file.length ? response.end() : response.destroy()), 20)
  }
const rows = async () => {
  const read: string[][] = []
  for await (const row of canvass.v3.csvRows({ path })) read.push(row)
  return read
}
const resumed = await outcome(rows, part(0, 5), part(5, 13), reset, part(13, file.length))
assert.deepEqual(resumed.result, [
  ['meal', 'notes'],
  ['Soup', 'none'],
  ['Curry', 'all'],
])
// A proxy can hide that a connection broke. A download without a length is checked at its end.
const close = { Connection: 'close', 'Content-Type': 'text/csv' }
const chunked =
  (from: number, to: number): Reply =>
  (response, { headers }) => {
    assert.equal(headers.range, from > 0 ? `bytes=${from}-` : undefined)
    if (from === file.length) return response.writeHead(416, { ...close, 'Content-Range': `bytes */${from}` }).end()
    const sent = { ...close, 'Accept-Ranges': 'bytes', ETag: '"f1"' }
    response.writeHead(from > 0 ? 206 : 200, sent).write(file.slice(from, to))
    response.end()
  }
const whole = await outcome(rows, chunked(0, file.length), chunked(file.length, file.length))
assert.deepEqual([whole.result, whole.requests.length], [resumed.result, 2])
const cut = await outcome(rows, chunked(0, 12), chunked(12, file.length), chunked(file.length, file.length))
assert.deepEqual(cut.result, resumed.result)
const newer: Reply = (response) => response.writeHead(200, { ...close, ETag: '"f2"' }).end(file)
assert.deepEqual((await outcome(rows, chunked(0, file.length), newer)).result, resumed.result)
const stuck = await outcome(rows, chunked(0, 12), chunked(12, 12))
assert(stuck.result instanceof APIConnectionError && /before the end/.test(stuck.result.message))

const quiet: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'text/csv', ETag: '"f1"' }).write('meal,')
  setTimeout(collectGarbage, 100)
}
const timed = async () => {
  for await (const row of canvass.v3.csvRows({ path, timeout: 0.2 })) return row
}
const continued = await outcome(timed, quiet, part(5, file.length))
assert.deepEqual(continued.result, ['meal', 'notes'])
const changed = await outcome(rows, part(0, 5), (response) => response.writeHead(200, { ETag: '"f2"' }).end(file))
assert(changed.result instanceof APIConnectionError && /changed/.test(changed.result.message))

server.closeAllConnections()
server.close()
await once(server, 'close')
const refused = await canvass.v3.deleteSurvey({ path }).catch((error: unknown) => error)
assert(refused instanceof APIConnectionError && !refused.maybeApplied && /ECONNREFUSED/.test(refused.message))
console.log('done')
