import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { makeSurvey, TWO_PAGES } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let path: string
let id: number

const ADDRESS = 'https://panel.example.com/back?status=ok&id={{ respondent_id }}'

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, TWO_PAGES)
  id = (await ann.post(`/api/v3/surveys/${survey}/collectors/`, { json: { name: 'Panel' } })).body.id
  path = `/api/v3/collectors/${id}/panel-return/`
})

const fieldsOf = (body: { errors?: { field: string; code: string }[] }) =>
  body.errors?.map(({ field, code }) => [field, code])

describe('getPanelReturn, updatePanelReturn and deletePanelReturn [spec 5.7]', () => {
  test('store the addresses of a collector, and change only the members of a request', async () => {
    const none = { parameter: null, complete: null, screened_out: null, quota_full: null, entry_url: null }
    expect((await ann.get(path)).body).toMatchObject({ ...none, signature_parameter: 'signature', signed: false })
    const first = await ann.put(path, { json: { parameter: 'pid', complete: ` ${ADDRESS} ` } })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ parameter: 'pid', complete: ADDRESS, screened_out: null, signed: false })
    expect(first.body.entry_url).toMatch(new RegExp(`/two-pages/\\?collector=${id}&pid=$`))
    const second = await ann.put(path, { json: { quota_full: ADDRESS.replace('ok', 'full'), complete: '' } })
    expect(second.body).toMatchObject({ parameter: 'pid', complete: null, quota_full: ADDRESS.replace('ok', 'full') })
    expect((await ann.get(path)).body).toEqual(second.body)
    expect((await ann.delete(path)).body).toBe('OK')
    expect((await ann.get(path)).body).toMatchObject(none)
  })

  test('accept an address with the placeholder in any notation that a URL parser makes of it', async () => {
    for (const [entered, stored] of [
      ['https://Panel.example.com?id={{respondent_id}}', 'https://panel.example.com/?id={{ respondent_id }}'],
      ['https://p.example/a?x=%7B%7B%20respondent_id%20%7D%7D&y=1', 'https://p.example/a?x={{ respondent_id }}&y=1'],
    ])
      expect((await ann.put(path, { json: { parameter: 'pid', complete: entered } })).body.complete).toBe(stored)
  })

  test.each([
    ['http', 'http://panel.example.com/?id={{ respondent_id }}'],
    ['another scheme', 'javascript:alert(1)//?id={{ respondent_id }}'],
    ['no placeholder', 'https://panel.example.com/?id=1'],
    ['the placeholder as host', 'https://{{ respondent_id }}/?id={{ respondent_id }}'],
    ['the placeholder in the host', 'https://{{respondent_id}}.example.com/?id={{ respondent_id }}'],
    ['the placeholder in the path', 'https://panel.example.com/{{ respondent_id }}/?id={{ respondent_id }}'],
    ['another placeholder', 'https://panel.example.com/?id={{ respondent_id }}&a={{ a }}'],
    ['a username', 'https://ann@panel.example.com/?id={{ respondent_id }}'],
    ['a fragment', 'https://panel.example.com/?id={{ respondent_id }}#end'],
    ['an empty fragment', 'https://panel.example.com/?id={{ respondent_id }}#'],
    ['the parameter of the signature', 'https://panel.example.com/?signature=1&id={{ respondent_id }}'],
  ])('refuse an address with %s', async (_, address) => {
    await ann.put(path, { json: { parameter: 'pid', screened_out: null } })
    const { status, body } = await ann.put(path, { json: { screened_out: address } })
    expect(status).toBe(400)
    expect(fieldsOf(body)).toEqual([['screened_out', 'url_not_allowed']])
  })

  test('refuse an address with more than 2,000 characters', async () => {
    const { body } = await ann.put(path, { json: { parameter: 'pid', complete: `${ADDRESS}&x=${'a'.repeat(2_000)}` } })
    expect(fieldsOf(body)).toEqual([['complete', 'too_long']])
  })

  test('refuse a parameter that survey addresses use; it is pid unless another is set', async () => {
    await ann.delete(path)
    expect((await ann.put(path, { json: { complete: ADDRESS } })).body).toMatchObject({
      ...{ parameter: 'pid', signature_parameter: 'signature' },
    })
    for (const parameter of ['code', 'collector', 'lang', 'quota']) {
      const { status, body } = await ann.put(path, { json: { parameter } })
      expect([parameter, status, fieldsOf(body)]).toEqual([parameter, 400, [['parameter', 'invalid_setting']]])
    }
    for (const parameter of ['_pid', '1', 'a b', ''])
      expect([parameter, (await ann.put(path, { json: { parameter } })).status]).toEqual([parameter, 400])
  })
})

describe('rotatePanelSecret [spec 5.7]', () => {
  test('returns a new secret once, and stores it encrypted', async () => {
    await ann.delete(path)
    await ann.put(path, { json: { parameter: 'pid', complete: ADDRESS } })
    const first = (await ann.post(`${path}secret/`)).body.secret
    const second = (await ann.post(`${path}secret/`)).body.secret
    expect([first, second]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(first).not.toBe(second)
    const shown = await ann.get(path)
    expect(shown.body.signed).toBe(true)
    expect(shown.text).not.toContain(second)
    const row = await world
      .em()
      .getKysely<Tables>()
      .selectFrom('collector')
      .select('panel_return')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(second)
    // The secret stays when an address changes, and goes with the panel.
    expect((await ann.put(path, { json: { quota_full: ADDRESS } })).body.signed).toBe(true)
    await ann.delete(path)
    expect((await ann.put(path, { json: { parameter: 'pid' } })).body.signed).toBe(false)
  })
})
