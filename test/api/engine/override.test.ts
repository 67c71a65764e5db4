import { describe, expect, it } from '@jest/globals'
import { fieldErrorsIn, useService } from './service.ts'

const service = useService()

describe('X-HTTP-Method-Override [spec 2.1]', () => {
  const overrideBy = (method: string) => ({ headers: { 'x-http-method-override': method } })
  it.each([
    ['PUT', 'updateThing'],
    ['put', 'updateThing'],
    ['DELETE', 'deleteThing'],
  ])('replaces POST by %s', async (method, operationId) => {
    let called = ''
    for (const id of ['updateThing', 'deleteThing'])
      service.on(id, async () => {
        called = id
        return { status: 200, body: {} }
      })
    const reply = await service.post('/things/7/', { json: { a: 1 }, ...overrideBy(method) })
    expect([reply.status, called, service.steps]).toEqual([200, operationId, ['begin', 'handler', 'commit']])
  })
  it('returns 405 with a message that names the method of this header', async () => {
    const reply = await service.post('/things/7/', { json: {}, ...overrideBy('PATCH') })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE'])
    expect(reply.body.message).toContain('PATCH')
  })
  it.each(['GET', 'TRACE', 'nonsense'])('returns 400 for %s', async (method) => {
    const reply = await service.post('/things/7/', { json: {}, ...overrideBy(method) })
    expect([reply.status, fieldErrorsIn(reply)]).toEqual([
      400,
      ['X-HTTP-Method-Override: must be PUT, PATCH or DELETE'],
    ])
  })
  it('is ignored on a method other than POST', async () => {
    expect((await service.get('/things/7/', overrideBy('DELETE'))).status).toBe(200)
    expect(service.steps).toEqual(['handler'])
  })
})
