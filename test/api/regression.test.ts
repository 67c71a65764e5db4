import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'

/** What fuzzing has found, kept from coming back. */
const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('sizes of pages', () => {
  const most = Number.MAX_SAFE_INTEGER

  test('the contract names the largest number that is understood', async () => {
    for (const path of [`/api/v2/contacts/?limit=${most}`, `/api/v3/contacts/?page_size=${most}`])
      expect((await ann.get(path)).status).toBe(200)
    for (const path of [`/api/v2/contacts/?limit=${most}0`, `/api/v3/contacts/?page_size=${most}0`])
      expect((await ann.get(path)).status).toBe(400)
  })
  test('the furthest page and offset are empty, not a fault', async () => {
    expect((await ann.get(`/api/v2/contacts/?offset=${most}`)).status).toBe(200)
    expect([200, 404]).toContain((await ann.get(`/api/v3/contacts/?page=${most}`)).status)
  })
})
