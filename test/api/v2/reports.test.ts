import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let id: number
let path: string
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  id = await makeSurvey(ann)
  path = `/api/v2/surveys/${id}/reports/`
})

describe('listReports [spec 10.3]', () => {
  test('returns count, reports_url, sharing_password and reports', async () => {
    const pages = `${world.base}/account/surveys/${id}/reports/`
    const empty = { count: 0, reports_url: pages, sharing_password: null, reports: [] }
    expect(await ann.get(path)).toMatchObject({ status: 200, body: empty })
    const { body } = await ann.post(`/api/v3/surveys/${id}/reports/`, { form: { title: 'Q1' } })
    expect((await ann.get(path)).body).toEqual({
      count: 1,
      reports_url: pages,
      sharing_password: null,
      reports: [{ id: body.id, title: 'Q1', report_url: body.report_url }],
    })
  })
})

describe('shareReports [spec 10.3]', () => {
  test.each([
    ['form', { form: { sharing_password: 'öffne dich' } }],
    ['JSON', { json: { sharing_password: 'öffne dich' } }],
    ['multipart', { multipart: { sharing_password: 'öffne dich' } }],
  ])('sets sharing_password from %s, clears it with an empty value and stores it encrypted', async (_, sent) => {
    expect(await ann.post(path, sent)).toMatchObject({ status: 200, body: { sharing_password: 'öffne dich' } })
    expect((await ann.get(path)).body.sharing_password).toBe('öffne dich')
    const row = await world.em().getKysely<Tables>().selectFrom('survey').selectAll().where('id', '=', id).execute()
    expect(JSON.stringify(row)).not.toContain('öffne')
    expect((await ann.post(path, { form: { sharing_password: '' } })).body.sharing_password).toBeNull()
    expect((await ann.get(path)).body.sharing_password).toBeNull()
  })

  test('returns 400 without sharing_password and for a value that is too long', async () => {
    expect((await ann.post(path, { form: {} })).status).toBe(400)
    expect((await ann.post(path, { json: { sharing_password: 'x'.repeat(1001) } })).status).toBe(400)
  })

  test('returns 404 to another account', async () => {
    expect((await bob.get(path)).status).toBe(404)
    expect((await bob.post(path, { form: { sharing_password: 'x' } })).status).toBe(404)
  })
})
