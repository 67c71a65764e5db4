import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { shareWith } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let path: string
let survey: number
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(async () => {
  survey = await makeSurvey(ann)
  path = `/api/v3/surveys/${survey}/notification/`
})

describe('getNotification', () => {
  test('returns off until the user turns notifications on [spec 5.15]', async () => {
    const { status, body, headers } = await ann.get(path)
    expect([status, body]).toEqual([200, { frequency: 'off' }])
    expect((await ann.get(path, { headers: { 'if-none-match': headers.get('etag')! } })).status).toBe(304)
  })
})

describe('updateNotification', () => {
  test.each(['immediate', 'daily', 'off'])('sets the frequency %s', async (frequency) => {
    const put = await ann.put(path, { form: { frequency } })
    expect([put.status, put.body]).toEqual([200, { frequency }])
    expect((await ann.get(path)).body).toEqual({ frequency })
    expect((await ann.put(path, { json: { frequency } })).body).toEqual({ frequency })
  })

  test('changes only the notifications of the caller [spec 5.15]', async () => {
    const bob = await world.person()
    await shareWith(ann, survey, bob, 'Analyze')
    await ann.put(path, { json: { frequency: 'daily' } })
    expect((await bob.get(path)).body).toEqual({ frequency: 'off' })
    await bob.put(path, { json: { frequency: 'immediate' } })
    expect((await ann.get(path)).body).toEqual({ frequency: 'daily' })
  })

  test('returns 400 for an unknown frequency and without one, and 412 for an outdated ETag', async () => {
    const { headers } = await ann.get(path)
    for (const json of [{ frequency: 'hourly' }, {}]) {
      const { status, body } = await ann.put(path, { json })
      expect([status, body.errors[0].field]).toEqual([400, 'frequency'])
    }
    await ann.put(path, { json: { frequency: 'daily' } })
    const outdated = await ann.put(path, {
      json: { frequency: 'off' },
      headers: { 'if-match': headers.get('etag')! },
    })
    expect(outdated.status).toBe(412)
    expect((await ann.get(path)).body).toEqual({ frequency: 'daily' })
  })
})
