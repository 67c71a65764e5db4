import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { useReceiver } from '../support/receiver.ts'
import { type RunningServer, startServer } from '../support/running-server.ts'
import { type ReceivedSpan, useTraceReceiver } from '../support/trace-receiver.ts'
import { waitUntil } from '../support/wait-until.ts'

const LIMIT_MS = 30_000
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'

const receiver = useReceiver()
const traces = useTraceReceiver()
let server: RunningServer

beforeAll(async () => {
  server = await startServer({
    ALLOW_PRIVATE_TARGETS: '1',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a-key',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
}, 60_000)
afterAll(() => server.stop())

/** Waits for a span. */
async function spanOf(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
  await waitUntil(() => traces.spans().some(matches), LIMIT_MS)
  return traces.spans().find(matches)!
}

async function makeSurvey(settings: object = {}): Promise<number> {
  const { id } = (await server.client.post('/api/v3/surveys/', { json: { name: 'Tea' } })).body
  const structure = {
    title: 'Tea',
    form: [{ children: [{ idname: 'text-response', id: 'remark', title: 'Why?', children: [{}] }] }],
  }
  await server.client.put(`/api/v3/surveys/${id}/structure/`, { json: structure })
  const reply = await server.client.put(`/api/v3/surveys/${id}/settings/`, { json: settings })
  expect(reply.status).toBe(200)
  return id
}

/** Subscribes an address to the completed responses of a survey and submits one. @returns the received message */
async function submit(survey: number, path: string) {
  const json = { event: 'response_complete', subscription_url: receiver.url(path), survey }
  expect((await server.client.post('/api/v3/webhooks/', { json })).status).toBe(201)
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': `request${path}` }
  const answers = { remark: 'a secret answer', _completed: 1 }
  const reply = await server.client.post(`/api/v3/surveys/${survey}/responses/`, { json: answers, headers })
  expect(reply.status).toBe(201)
  await waitUntil(() => receiver.received(path).length > 0, LIMIT_MS)
  return receiver.received(path)[0]!
}

describe('OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  test('sends one trace from the request of a caller to the delivery of its webhook message', async () => {
    const message = await submit(await makeSurvey(), '/traced')
    const request = await spanOf(({ attributes }) => attributes['canvass.request_id'] === 'request/traced')
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, service: 'canvass', path: '/v1/traces' })
    expect(request).toMatchObject({ name: 'POST createResponse', apiKey: 'a-key' })
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'canvass.operation': 'createResponse',
    })
    const { traceId, spanId } = request
    const batch = await spanOf(({ name, links }) => name === 'store responses' && links[0]?.spanId === spanId)
    expect(batch).toMatchObject({ traceId, parentSpanId: spanId, attributes: { 'canvass.responses': 1 } })
    const statement = await spanOf(({ parentSpanId }) => parentSpanId === batch.spanId)
    expect(statement).toMatchObject({ traceId, name: 'SELECT', attributes: { 'db.system.name': 'postgresql' } })
    const delivery = await spanOf(({ name, parentSpanId }) => name.startsWith('deliver') && parentSpanId === spanId)
    expect(delivery).toMatchObject({ traceId, name: 'deliver response_complete' })
    expect(delivery.attributes).toMatchObject({ 'http.response.status_code': 200, 'canvass.result': 'delivered' })
    expect(message.headers.traceparent).toBe(`00-${TRACE}-${delivery.spanId}-01`)
    expect(JSON.stringify(traces.spans())).not.toContain('a secret answer')
    await waitUntil(() => server.output().includes('"id":"request/traced"'), LIMIT_MS)
    const line = server
      .output()
      .split('\n')
      .find((text) => text.includes('"id":"request/traced"'))!
    expect(JSON.parse(line)).toMatchObject({ trace_id: TRACE, span_id: spanId, status: 201 })
  }, 60_000)

  test('begins a new trace for a request without credentials, so that strangers do not decide what is traced', async () => {
    const headers = { traceparent: `00-${TRACE}-${CALLER}-00`, 'x-request-id': 'request/stranger' }
    await fetch(`${server.client.base}/surveys/ann/tea/`, { headers })
    const request = await spanOf(({ attributes }) => attributes['canvass.request_id'] === 'request/stranger')
    expect(request.parentSpanId).toBe('')
    expect(request.traceId).not.toBe(TRACE)
  }, 60_000)

  test('does not continue the trace in the webhook message of an anonymous response', async () => {
    const message = await submit(await makeSurvey({ anonymous: true }), '/anonymous')
    expect(message.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(message.headers.traceparent).not.toContain(TRACE)
  }, 60_000)

  test('links a job to the request that queued it, and records the emails of the job', async () => {
    const survey = await makeSurvey({ live: true })
    const json = {
      name: 'Bob',
      email: 'bob@example.org',
      sender: 'ann@example.org',
      message: '[Invite Link]',
      subject: 'Tea',
    }
    const headers = { 'x-request-id': 'request/invites' }
    const reply = await server.client.post(`/api/v3/surveys/${survey}/invites/`, { json, headers })
    expect(reply.body).toMatchObject({ num_recipients: 1 })
    const request = await spanOf(({ attributes }) => attributes['canvass.request_id'] === 'request/invites')
    const job = await spanOf(({ links }) => links[0]?.spanId === request.spanId)
    expect(job).toMatchObject({ name: 'job send-email', parentSpanId: '' })
    expect(job.traceId).not.toBe(request.traceId)
    const email = await spanOf(({ name, traceId }) => name === 'send email' && traceId === job.traceId)
    expect(JSON.stringify(email)).not.toContain('bob@')
  }, 60_000)
})
