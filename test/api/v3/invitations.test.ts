import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: { id: number; survey_uri: string; send_invite_uri: string; invite_codes_uri: string }
let other: { id: number }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
  other = (await ann.post(`${survey.survey_uri}collectors/`, { form: { name: 'Letter' } })).body
})

describe.each([
  ['createSurveyInviteCodes', 'listSurveyInviteCodes', 'invite_codes'],
  ['createSurveyInviteCodesAlias', 'listSurveyInviteCodesAlias', 'invite-codes'],
])('%s, %s', (_, __, name) => {
  test('accept count and collector, and return a paged list with times and status [spec 9.3]', async () => {
    const uri = `${survey.survey_uri}${name}/`
    const before = (await ann.get(uri)).body.count
    const created = await ann.post(uri, { form: { count: 12 } })
    expect(created.status).toBe(201)
    expect(created.body.count).toBe(12)
    const { code, invite_url, collector } = created.body.results[0]
    expect(invite_url).toBe(`${world.base}/surveys/ann/tea/?code=${code}`)
    await ann.post(uri, { json: { count: 1, collector: other.id } })

    const page = await ann.get(uri)
    expect(page.body).toMatchObject({ count: before + 13, previous: null })
    expect(page.body.results).toHaveLength(10)
    expect(page.headers.get('link')).toContain('rel="next"')
    expect((await ann.get(`${uri}?collector=${other.id}`)).body.results.at(-1)).toEqual({
      code: expect.any(String),
      invite_url: expect.any(String),
      collector: other.id,
      status: '',
      created_at: world.now.toISOString(),
      viewed_at: null,
      completed_at: null,
      response: null,
      response_uri: null,
    })
    expect(collector).not.toBe(other.id)
  })

  test('reject a count outside 1 to 1000, an unknown collector and a survey of another account', async () => {
    const uri = `${survey.survey_uri}${name}/`
    for (const count of ['0', '1001', 'many', '']) expect((await ann.post(uri, { form: { count } })).status).toBe(400)
    expect((await ann.post(uri, { form: { count: 1, collector: 999999 } })).body.code).toBe('collector_not_found')
    expect((await ann.get(`${uri}?collector=999999`)).status).toBe(404)
    const bob = await world.person()
    expect((await bob.post(uri, { form: { count: 1 } })).status).toBe(404)
    expect((await bob.get(uri)).status).toBe(404)
  })
})

describe('listSurveyInvites', () => {
  test('omits codes without a recipient', async () => {
    expect((await ann.get(survey.send_invite_uri)).body).toEqual({ count: 0, next: null, previous: null, results: [] })
  })
})
