import { once } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { mount } from '../../../src/api/engine/mount.ts'
import { Problem, problems } from '../../../src/domain/problem.ts'
import { useService } from './service.ts'

let authentication: () => Promise<never> | undefined = () => undefined
let scopes: readonly string[] = []
const ann = { id: 1, username: 'ann', email: 'ann@example.org', name: 'Ann', isDeveloper: false, plan: 'standard' }
const duplicate = new Error('duplicate key')
const service = useService({
  authenticate: async (_ctx, requiredScopes) => {
    scopes = requiredScopes
    return (await authentication()) ?? ann
  },
  translate: (error) => (error === duplicate ? new Problem('conflict', 'taken', 'It is taken.') : undefined),
})

describe('a request', () => {
  it('writes in a transaction and gets its reply after the commit', async () => {
    await service.put('/things/7/', { json: {} })
    expect(service.steps).toEqual(['begin', 'handler', 'commit'])
  })
  it('reads without a transaction', async () => {
    await service.get('/things/7/')
    expect(service.steps).toEqual(['handler'])
  })
  it('rolls back when the handler throws an error', async () => {
    service.on('updateThing', async () => {
      throw problems.surveyNotFound()
    })
    const reply = await service.put('/things/7/', { json: {} })
    expect([reply.status, reply.body.code]).toEqual([404, 'survey_not_found'])
    expect(service.steps).toEqual(['begin', 'handler', 'rollback'])
  })
  it('passes the actor, the time and the services to the handler', async () => {
    service.on('getMe', async ({ context }) => ({
      status: 200,
      body: { actor: context.actor.username, now: context.now, services: context.services === service.deps.services },
    }))
    expect((await service.get('/me')).body).toEqual({ actor: 'ann', now: '2026-01-15T12:00:00.000Z', services: true })
  })
  it('gets Cache-Control and Vary in every reply', async () => {
    for (const path of ['/me', '/things/x/', '/nowhere/']) {
      const { headers } = await service.get(path)
      expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(headers.get('vary')).toBe('Accept, Authorization')
    }
  })
  it('requires the scopes of the operation', async () => {
    await service.get('/me')
    expect(scopes).toEqual(['read'])
    await service.post('/things/', { json: { name: 'n' } })
    expect(scopes).toEqual(['write'])
  })
})

describe('authentication', () => {
  it('returns 401 with a challenge before other checks', async () => {
    authentication = () => Promise.reject(problems.unauthenticated())
    const reply = await service.post('/things/', { body: '{', headers: { 'content-type': 'application/json' } })
    authentication = () => undefined
    expect([reply.status, reply.body.code]).toEqual([401, 'unauthenticated'])
    expect(reply.headers.get('www-authenticate')).toBe('Basic realm="api", Bearer realm="api"')
    expect(service.steps).toEqual([])
  })
  it('is not required if the contract does not require it', async () => {
    authentication = () => Promise.reject(problems.unauthenticated())
    const reply = await service.get('/open/')
    authentication = () => undefined
    expect(reply.status).toBe(200)
  })
  it('returns 500 during an outage, never 401', async () => {
    authentication = () => Promise.reject(new Error('database is down'))
    const reply = await service.get('/me')
    authentication = () => undefined
    expect(reply.status).toBe(500)
    expect(service.logged).toEqual([new Error('database is down')])
  })
})

describe('errors', () => {
  it('return the problem of a violated database constraint', async () => {
    service.on('updateThing', () => Promise.reject(duplicate))
    const { strict } = service.deps
    service.deps.strict = false
    const reply = await service.put('/things/7/', { json: {} })
    service.deps.strict = strict
    expect([reply.status, reply.body.code]).toEqual([409, 'taken'])
  })
  it('return 500 with the request ID and without a stack otherwise', async () => {
    const error = new Error('secret detail')
    service.on('getMe', () => Promise.reject(error))
    const reply = await service.get('/me')
    expect(reply.status).toBe(500)
    expect(reply.text).toContain('request-1')
    expect(reply.text).not.toMatch(/secret detail|\.ts:/)
    expect(service.logged).toEqual([error])
  })
})

describe('replies [spec 2.5]', () => {
  it('may be JSON text', async () => {
    service.on('getMe', async () => ({ status: 200, json: '{"a": 1}', headers: { Link: '<x>; rel="next"' } }))
    const reply = await service.get('/me')
    expect([reply.text, reply.headers.get('link')]).toEqual(['{"a": 1}', '<x>; rel="next"'])
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
  const csv = (stream: Readable) => async () => ({
    status: 200,
    stream,
    headers: { 'Content-Type': 'text/csv; charset=utf-8' },
  })
  it('may be streams', async () => {
    service.on('exportThings', csv(Readable.from(['a,b\r\n', '1,2\r\n'])))
    const reply = await service.get('/csv/')
    expect([reply.text, reply.headers.get('content-type')]).toEqual(['a,b\r\n1,2\r\n', 'text/csv; charset=utf-8'])
  })
  it('may be empty streams', async () => {
    service.on('exportThings', csv(Readable.from([])))
    const reply = await service.get('/csv/')
    expect([reply.status, reply.text]).toEqual([200, ''])
  })
  it('have status 500 if their stream fails immediately', async () => {
    service.on('exportThings', csv(Readable.from(failing(0))))
    expect((await service.get('/csv/')).status).toBe(500)
  })
  it('close the connection if their stream fails halfway', async () => {
    service.on('exportThings', csv(Readable.from(failing(3))))
    await expect(service.get('/csv/')).rejects.toThrow()
  })
  it('close their stream for HEAD', async () => {
    const stream = Readable.from(['a'])
    const closed = once(stream, 'close')
    service.on('exportThings', csv(stream))
    expect((await service.head('/csv/')).status).toBe(200)
    await closed
    expect(stream.destroyed).toBe(true)
  })
})

describe('replies of a deprecated operation', () => {
  it('contain the date of the deprecation, the date of the end, and a link to the rules', async () => {
    const { status, headers } = await service.get('/things/oldest/')
    expect(status).toBe(200)
    expect(headers.get('deprecation')).toBe('@1795305600')
    expect(headers.get('sunset')).toBe('Sun, 21 Nov 2027 00:00:00 GMT')
    expect(headers.get('link')).toMatch(/^<.*#\/section\/deprecation>; rel="deprecation"; type="text\/html"$/)
  })
  it('keep the links of the operation', async () => {
    service.on('getOldest', async () => ({ status: 200, body: {}, headers: { Link: '</a>; rel="next"' } }))
    expect((await service.get('/things/oldest/')).headers.get('link')).toContain(
      'rel="deprecation"; type="text/html", </a>; rel="next"',
    )
  })
})

async function* failing(after: number) {
  for (let i = 0; i < after; i++) {
    yield `line ${i}\r\n`
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the database went away')
}

describe('a reply that breaks the contract', () => {
  const violation = async (operationId: string, path: string, reply: object) => {
    service.on(operationId, async () => reply as never)
    const response = await fetch(`${service.base}/api${path}`, {
      method: operationId === 'createThing' ? 'POST' : 'GET',
      body: operationId === 'createThing' ? new URLSearchParams({ name: 'n' }) : null,
    })
    const body = (await response.json()) as { code: string; message: string }
    expect([response.status, body.code]).toEqual([500, 'contract_broken'])
    return body.message
  }
  it('is reported for an undeclared status', async () => {
    expect(await violation('getMe', '/me', { status: 202, body: {} })).toBe('getMe does not declare status 202')
  })
  it('is reported for its body', async () => {
    expect(await violation('createThing', '/things/', { status: 201, body: { id: 'x' } })).toBe(
      'createThing 201: /id must be integer',
    )
  })
  it('is reported for its media type', async () => {
    const headers = { 'Content-Type': 'text/html' }
    expect(await violation('exportThings', '/csv/', { status: 200, stream: Readable.from(['x']), headers })).toBe(
      'exportThings 200: does not declare text/html',
    )
    expect(await violation('getMe', '/me', { status: 200 })).toBe('getMe 200: does not declare a reply without a body')
  })
  it('is reported for a Location header on status 201', async () => {
    expect(
      await violation('createThing', '/things/', { status: 201, body: { id: 1 }, headers: { Location: '/x' } }),
    ).toBe('createThing 201: must not have a Location header')
  })
  it('is reported for an error reply', async () => {
    service.on('getMe', () => Promise.reject(problems.forbidden('read')))
    await expect(service.get('/me')).rejects.toThrow('getMe does not declare status 403')
  })
})

describe('mount', () => {
  it('lists operations without a handler and handlers without an operation', async () => {
    const { getMe: _, getRoot: __, ...handlers } = service.version.handlers
    await expect(mount({ ...service.version, handlers }, service.deps)).rejects.toThrow(
      '/api: no handler for getRoot, getMe',
    )
    const extended = { ...service.version.handlers, getYou: service.version.handlers.getMe! }
    await expect(mount({ ...service.version, handlers: extended }, service.deps)).rejects.toThrow(
      '/api: no operation for getYou',
    )
  })
})
