import { describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { useWorld } from '../support/world.ts'

const TOKEN = 'a token of more than sixteen characters'
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
const world = useWorld({ settings: { METRICS_TOKEN: TOKEN }, log })
const publicLines: string[] = []
const publicWorld = useWorld({
  settings: { METRICS_TOKEN: TOKEN, BASE_URL: 'https://surveys.example.org', TRUSTED_PROXIES: '1' },
  log: pino({ level: 'info' }, { write: (line) => publicLines.push(line) }),
})

describe('GET /metrics [spec 14.1]', () => {
  test('returns the metrics to this machine, and to other hosts only with the configured token', async () => {
    const statusWith = async (headers: Record<string, string>) =>
      (await world.anonymous.get('/metrics', { headers })).status
    expect((await world.anonymous.get('/metrics')).text).toContain('http_request_duration_seconds')
    for (const name of [
      'X-Forwarded-For',
      'Forwarded',
      'Via',
      'X-Real-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
      'Fastly-Client-IP',
      'Fly-Client-IP',
      'X-Azure-ClientIP',
      'X-Appengine-User-IP',
      'X-Envoy-External-Address',
      'CloudFront-Viewer-Address',
      'X-Amzn-Trace-Id',
    ])
      expect(await statusWith({ [name]: '203.0.113.9' })).toBe(404)
    const forwarded = { 'X-Forwarded-For': '203.0.113.9' }
    expect(await statusWith({ ...forwarded, Authorization: `Bearer ${TOKEN}` })).toBe(200)
    expect(await statusWith({ ...forwarded, Authorization: 'Bearer wrong' })).toBe(404)
    expect(await statusWith({ Authorization: 'Bearer wrong' })).toBe(404)
  })
})

describe('GET /metrics of a server with a public address', () => {
  const token = { headers: { Authorization: `Bearer ${TOKEN}` } }

  test('needs the token, even if a proxy on this machine hides that the request is forwarded', async () => {
    expect((await publicWorld.anonymous.get('/metrics')).status).toBe(404)
    expect((await publicWorld.anonymous.get('/metrics', token)).text).toContain('http_request_duration_seconds')
  })
})

describe('the access log', () => {
  test('contains no response keys and no tokens', async () => {
    const key = 'ab'.repeat(20)
    for (const path of [`/surveys/ann/tea/${key}/`, '/unsubscribe/a-secret-token/', '/reports/a-secret-token/days/'])
      await world.anonymous.get(path)
    const paths = lines.map((line) => JSON.parse(line).path).filter((path) => path !== undefined)
    expect(paths).toEqual(expect.arrayContaining(['/surveys/ann/tea/-/', '/unsubscribe/-/', '/reports/-/days/']))
    expect(lines.join()).not.toMatch(/(ab){10}|a-secret-token/)
  })

  test('contains the request ID and the trace ID of the request, if they are valid', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const lineFor = async (id: string, traceparent: string) => {
      await world.anonymous.get('/guides/', { headers: { 'X-Request-Id': id, traceparent } })
      return lines.map((line) => JSON.parse(line)).find((line) => line.id === id)
    }
    expect(await lineFor('one', `00-${trace}-b7ad6b7169203331-01`)).toMatchObject({ trace_id: trace })
    expect(await lineFor('two', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`)).not.toHaveProperty('trace_id')
    expect(await lineFor('three', `ff-${trace}-b7ad6b7169203331-01`)).not.toHaveProperty('trace_id')
  })

  test('contains the network and the account, but not the network of a respondent', async () => {
    const ann = await publicWorld.person()
    const headers = { 'X-Forwarded-For': '203.0.113.77' }
    await ann.get('/api/v3/surveys/', { headers })
    await publicWorld.anonymous.get('/api/v3/surveys/', { headers: { 'X-Forwarded-For': '2001:db8:1:2::3' } })
    await publicWorld.anonymous.get('/surveys/ann/tea/', { headers })
    const logged = publicLines.map((line) => JSON.parse(line)).filter(({ path }) => /surveys/.test(path))
    expect(logged.map(({ path, network, account }) => [path, network, account])).toEqual([
      ['/api/v3/surveys/', '203.0.113.0/24', ann.actor.id],
      ['/api/v3/surveys/', '2001:db8:1::/48', undefined],
      ['/surveys/ann/tea/', undefined, undefined],
    ])
    expect(publicLines.join()).not.toContain('203.0.113.77')
  })
})

describe('Strict-Transport-Security', () => {
  test('does not include subdomains by default', async () => {
    const { headers } = await publicWorld.anonymous.get('/healthz')
    const page = await publicWorld.anonymous.get('/guides/')
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })
})

describe('pages of owners', () => {
  test('cannot be loaded by other sites', async () => {
    const reply = await world.anonymous.get('/accounts/login/')
    expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})
