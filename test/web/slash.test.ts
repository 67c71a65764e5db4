import { describe, expect, it } from '@jest/globals'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('an address without its last slash', () => {
  it('leads to the one with it, and keeps the query', async () => {
    const reply = await world.nobody.get('/accounts/login?next=%2Faccount%2F')
    expect(reply.status).toBe(308)
    expect(reply.headers.get('location')).toBe('/accounts/login/?next=%2Faccount%2F')
  })

  it('never leads to another host', async () => {
    const reply = await world.nobody.get(`${world.base}//accounts/login`)
    expect(reply.headers.get('location') ?? '').not.toMatch(/^\/\//)
  })

  it('is left alone where there is nothing', async () => {
    expect((await world.nobody.get('/nothing/here')).status).toBe(404)
    expect((await world.nobody.get('/accounts/%ZZ')).status).toBe(404)
  })
})
