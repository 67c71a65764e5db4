import { describe, expect, it } from '@jest/globals'
import { useService } from './service.ts'

const service = useService()

describe('trailing slashes [spec 2.1]', () => {
  it.each([
    ['/things', 200],
    ['/things/', 200],
    ['/me', 200],
    ['/me/', 200],
    ['', 200],
    ['/', 200],
    ['/things/7', 200],
    ['/things//', 404],
    ['//', 404],
    ['//things/', 404],
    ['/things//answers/', 404],
    ['s', 404],
  ])('are optional in GET /api%s, which returns %d without a redirect', async (path, status) => {
    expect((await service.get(path)).status).toBe(status)
  })
})

describe('paths [spec 2.1]', () => {
  it('prefer a literal segment, and fall back to a parameter when it has no match', async () => {
    service.on('getNewest', async () => ({ status: 200, body: { newest: true } }))
    expect((await service.get('/things/newest/')).body).toEqual({ newest: true })
    expect((await service.get('/things/7/answers/')).body.query).toEqual({ filters: {} })
    expect((await service.get('/things/7/other/')).body.path).toEqual({ thing_id: 7, name: 'other' })
  })

  it('decode each parameter separately', async () => {
    expect((await service.get('/things/7/a%2Fb%20%C3%A9/')).body.path.name).toBe('a/b é')
    expect((await service.get('/thing%73/')).status).toBe(200)
  })

  it.each(['/things/%ZZ/', '/things/%', '/things/7/%FF/', '/things/7/%00/', '/%ZZ'])(
    'return 404 for %s',
    async (path) => {
      expect((await service.raw(`GET /api${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).slice(9, 12)).toBe(
        '404',
      )
    },
  )

  it.each(['x', '0', '-1', '1.5', '9007199254740993', '99999999999999999999', '0x10', '1e3', '+1'])(
    'return 404 for the ID %s',
    async (id) => {
      expect((await service.get(`/things/${id}/`)).status).toBe(404)
    },
  )
})

describe('methods [spec 2.1]', () => {
  it('return 405 with the allowed methods', async () => {
    const reply = await service.send('PATCH', '/api/things/7/')
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
    expect(reply.body.code).toBe('method_not_allowed')
  })

  it('include HEAD wherever GET is allowed, without a body', async () => {
    const [head, get] = [await service.head('/things/'), await service.get('/things/')]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect((await service.head('/things/x/')).status).toBe(404)
  })
})
