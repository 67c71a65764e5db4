import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'

/** Defects that fuzzing has found. */
const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('page sizes', () => {
  const largest = Number.MAX_SAFE_INTEGER

  test('return 200 up to 2^53 - 1, the maximum in the contract, and 400 above', async () => {
    for (const path of [`/api/v2/contacts/?limit=${largest}`, `/api/v3/contacts/?page_size=${largest}`])
      expect((await ann.get(path)).status).toBe(200)
    for (const path of [`/api/v2/contacts/?limit=${largest}0`, `/api/v3/contacts/?page_size=${largest}0`])
      expect((await ann.get(path)).status).toBe(400)
  })
  test('return no error for the largest page and offset', async () => {
    expect((await ann.get(`/api/v2/contacts/?offset=${largest}`)).status).toBe(200)
    expect([200, 404]).toContain((await ann.get(`/api/v3/contacts/?page=${largest}`)).status)
  })
})

describe('a number that exceeds its column', () => {
  const huge = '388436007664273719296'
  const json = (path: string, body: string) => ann.post(path, { body, headers: { 'content-type': 'application/json' } })

  test('returns 400 in a JSON body, with the name of the field', async () => {
    const reply = await json('/api/v3/collectors/', `{"survey": ${huge}, "name": "Five"}`)
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([{ field: 'survey' }])
    expect((await json('/api/v3/embeds/', `{"survey": ${huge}, "kind": "link"}`)).status).toBe(400)
  })

  test('gets the same reply in a form as in JSON', async () => {
    const { body: survey } = await ann.post('/api/v3/surveys/', { form: { name: 'Huge' } })
    const path = `/api/v3/surveys/${survey.id}/settings/`
    const replies = [
      await ann.put(path, { form: { max_responses: huge } }),
      await ann.put(path, { body: `{"max_responses": ${huge}}`, headers: { 'content-type': 'application/json' } }),
    ]
    expect(replies[0]).toMatchObject({ status: replies[1]!.status, body: replies[1]!.body })
  })

  test('returns 404 in a path', async () => {
    expect((await ann.get(`/api/v3/surveys/${huge}/`)).status).toBe(404)
    expect((await ann.get(`/api/v3/surveys/9007199254740991/`)).status).toBe(404)
  })
})
