import { describe, expect, it } from '@jest/globals'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('a path without its trailing slash', () => {
  it('redirects to the path with the slash and keeps the query', async () => {
    const reply = await world.anonymous.get('/accounts/login?next=%2Faccount%2F')
    expect(reply.status).toBe(308)
    expect(reply.headers.get('location')).toBe('/accounts/login/?next=%2Faccount%2F')
  })

  it('never redirects to another host', async () => {
    const reply = await world.anonymous.get(`${world.base}//accounts/login`)
    expect(reply.headers.get('location') ?? '').not.toMatch(/^\/\//)
  })

  it('returns 404 if no page exists', async () => {
    expect((await world.anonymous.get('/nothing/here')).status).toBe(404)
    expect((await world.anonymous.get('/accounts/%ZZ')).status).toBe(404)
  })
})

describe('a reply that no cache may keep', () => {
  it.each([
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/', 302],
    ['/accounts/login', 308],
    ['/docs/v3', 302],
    ['/nothing/here', 404],
    ['/api/nothing/', 404],
    ['/api/v3', 200],
  ])('%s says so', async (path, status) => {
    const reply = await world.anonymous.get(path, { headers: { accept: 'text/html' } })
    expect(reply.status).toBe(status)
    expect(reply.headers.get('cache-control')).toMatch(/^(no-store|private, no-cache)$/)
  })
})
