import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

describe('every URL in a survey', () => {
  test('returns 200 to GET, or 405 where only POST is allowed [spec 5.1]', async () => {
    const survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Whole' } })).body
    const uris = Object.entries<string>(survey).filter(([name]) => /_uri$|^creator$/.test(name))
    expect(uris).toHaveLength(16)
    const replies = await Promise.all(uris.map(async ([name, uri]) => [name, (await ann.get(uri)).status]))
    expect(Object.fromEntries(replies)).toEqual({
      ...Object.fromEntries(uris.map(([name]) => [name, 200])),
      duplicate_uri: 405,
    })
    expect((await ann.post(survey.duplicate_uri)).status).toBe(201)
    expect((await world.anonymous.get(survey.deploy_url)).status).toBeLessThan(500)
  })
})
