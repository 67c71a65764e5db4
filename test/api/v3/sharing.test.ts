import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: { survey_uri: string; groups_uri: string; send_invite_uri: string; invite_codes_uri: string }
beforeAll(async () => {
  ann = await world.person()
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Alone' } })).body
})

describe.each([['listSurveyGroups', () => survey.groups_uri]] as const)('%s', (_, uri) => {
  test('an empty page for the owner, nothing for anybody else', async () => {
    const empty = { count: 0, next: null, previous: null, results: [] }
    expect(await ann.get(uri())).toMatchObject({ status: 200, body: empty })
    const bob = await world.person()
    expect(await bob.get(uri())).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
  })
})
