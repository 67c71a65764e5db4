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
