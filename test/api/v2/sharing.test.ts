import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person()
  bob = await world.person()
})
const groupsOf = (survey: number) => `/api/v2/surveys/${survey}/groups/`

describe('shareSurvey', () => {
  test('adds the space-delimited group IDs to the existing ones [spec 4.5]', async () => {
    const survey = await makeSurvey(ann)
    const [a, b] = [await makeGroup(ann), await makeGroup(ann)]
    const success = { status: 200, body: { success: true } }
    expect(await ann.put(groupsOf(survey), { form: { group: a } })).toMatchObject(success)
    expect(await ann.put(groupsOf(survey), { form: { group: `${a} ${b}` } })).toMatchObject(success)
    for (const group of [a, b])
      expect((await ann.get(`/api/v2/groups/${group}/`)).body.surveys).toMatchObject([{ id: survey }])
  })
})

describe('unshareSurvey', () => {
  test('accepts the group ID in the body [spec 4.5]', async () => {
    const survey = await makeSurvey(ann)
    const group = await makeGroup(ann)
    await share(ann, survey, group)
    const reply = await ann.delete(groupsOf(survey), { form: { group } })
    expect(reply).toMatchObject({ status: 200, body: { success: true } })
    expect((await ann.get(`/api/v2/groups/${group}/`)).body.surveys).toEqual([])
  })
})

describe('a survey that is shared with the role Test [spec 3.5]', () => {
  test('appears in the list, and rejects edits and imports', async () => {
    const survey = await makeSurvey(ann)
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'test')
    await share(ann, survey, group)
    const { surveys } = (await bob.get('/api/v2/surveys/')).body
    expect(surveys).toContainEqual(expect.objectContaining({ id: survey, creator: ann.actor.username }))
    const responses = `/api/v2/surveys/${survey}/responses/`
    const { key } = (await ann.post(responses, { json: { q1: '0' } })).body
    expect((await bob.post(responses, { json: { _key: key, q1: '1' } })).status).toBe(403)
    const csv = { body: 'q1\r\n0\r\n', headers: { 'content-type': 'text/csv' } }
    expect((await bob.post(responses, csv)).status).toBe(403)
  })
})
