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

describe('an id that no column can hold', () => {
  const huge = '388436007664273719296'
  const json = (path: string, body: string) => ann.post(path, { body, headers: { 'content-type': 'application/json' } })

  test('in a body is a fault of the request, named by its member', async () => {
    const reply = await json('/api/v3/collectors/', `{"survey": ${huge}, "name": "Five"}`)
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([{ field: 'survey' }])
    expect((await json('/api/v3/embeds/', `{"survey": ${huge}, "kind": "link"}`)).status).toBe(400)
  })

  test('in a form means what it means in JSON', async () => {
    const { body: survey } = await ann.post('/api/v3/surveys/', { form: { name: 'Huge' } })
    const path = `/api/v3/surveys/${survey.id}/settings/`
    const replies = [
      await ann.put(path, { form: { max_responses: huge } }),
      await ann.put(path, { body: `{"max_responses": ${huge}}`, headers: { 'content-type': 'application/json' } }),
    ]
    expect(replies[0]).toMatchObject({ status: replies[1]!.status, body: replies[1]!.body })
  })

  test('in a path is a missing object', async () => {
    expect((await ann.get(`/api/v3/surveys/${huge}/`)).status).toBe(404)
    expect((await ann.get(`/api/v3/surveys/9007199254740991/`)).status).toBe(404)
  })
})
