import { beforeAll, describe, expect, test } from '@jest/globals'
import { findSurvey } from '../../../src/domain/survey/queries.ts'
import { exportSample, KEYS, questions, type Sample } from '../../support/export-sample.ts'
import { answersIn, contextOf, META, storeResponses, surveyWithQuestions, table } from '../../support/exports.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let sample: Sample
beforeAll(async () => {
  sample = await exportSample(world)
})

const get = (query = '') => sample.ann.get(`/api/v3/surveys/${sample.survey.id}/csv/${query}`)
const cells = async (query: string) => answersIn(await get(query))

describe('exportCsv', () => {
  test('writes 17 metadata columns and the questions in the order of the survey by default [spec 7.10]', async () => {
    const reply = await get()
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="how-was-it.csv"')
    expect(reply.text.endsWith('\r\n')).toBe(true)
    const collector = String(sample.survey.defaultCollector.id)
    const meta = (id: number | undefined, state: string, time: string) => [
      state,
      String(id),
      time,
      time,
      ...Array(6).fill(''),
      '1',
      ...Array(5).fill(''),
      collector,
    ]
    expect(table(reply.text)).toEqual([
      [...META, ...KEYS],
      [
        'Complete',
        String(sample.ids[0]),
        '2026-01-10T08:09:07',
        '2026-01-10T08:09:07',
        'en',
        '203.0.113.9',
        '7',
        'zoe',
        'a=1&b=2',
        'https://example.org/?a,b',
        '1',
        '2.5',
        '62',
        'ABCD2345',
        'zoe@example.org',
        'Zoë Z',
        collector,
        'Zoë, "Z"',
        '0',
        '',
        '0',
        '1',
        '1',
        '',
        '2',
        '1',
        'true',
        '10',
      ],
      [
        ...meta(sample.ids[1], 'Incomplete', '2026-01-11T23:59:59'),
        '<p>a < b</p>\nline 2',
        '2',
        '=1+1',
        '',
        '1',
        '',
        '',
        '',
        '',
        'false',
        '',
      ],
      [...meta(sample.ids[2], 'Terminated', '2026-01-12T00:00:00'), ...Array(11).fill('')],
    ])
  })

  test('filters by answer, metadata field and date [spec 7.10]', async () => {
    const found = async (query: string) =>
      table((await get(`?${query}`)).text)
        .slice(1)
        .map((record) => sample.ids.indexOf(Number(record[1])))
    expect(await found('colour=0')).toEqual([0])
    expect(await found('colour=Another&drinks=1')).toEqual([1])
    expect(await found('_completed=2')).toEqual([2])
    expect(await found('_created_at>2026-01-10&_created_at%3C2026-01-12')).toEqual([1])
    expect(await found(`who=Zo%C3%AB%2C+%22Z%22&include_labels=1&ids=${sample.ids}`)).toEqual([0])
    const reply = await get('?nothing=1')
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0].field).toBe('nothing')
  })

  test('applies the saved filter named in the filter parameter [spec 7.10]', async () => {
    const { ann, survey, ids } = sample
    await ann.post(`/api/v3/surveys/${survey.id}/filters/`, { form: { name: 'reds', query: 'colour=Red' } })
    const found = async (name: string) =>
      table((await get(`?filter=${name}`)).text)
        .slice(1)
        .map((record) => Number(record[1]))
    expect(await found('reds')).toEqual([ids[0]])
    expect(await found('completed')).toEqual([ids[0]])
    expect(await found('invite_codes&_language=de')).toEqual([])
    const reply = await get('?filter=blues')
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0].field).toBe('filter')
  })

  test('returns only the responses in ids [spec 7.10]', async () => {
    const found = table((await get(`?ids=${sample.ids[2]},${sample.ids[0]},999999`)).text).slice(1)
    expect(found.map((record) => record[1])).toEqual([String(sample.ids[0]), String(sample.ids[2])])
    const reply = await get('?ids=1,x')
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0].field).toMatch(/ids/)
  })

  test('returns only the questions in include [spec 7.10]', async () => {
    expect((await cells('?include=again,who')).header).toEqual(['name', 'again'])
    expect((await cells('?include=rate_1,colour')).header).toEqual(['colour', 'colour\\other', 'rate_1'])
    const reply = await get('?include=name,nothing')
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toMatchObject([
      { field: 'include', message: '“nothing” is not a question of this survey' },
    ])
  })

  test('appends columns with include_url, include_key and include_response_link [spec 7.10]', async () => {
    const [header, first] = table((await get('?include_url&include_key=1&include_response_link=yes')).text)
    const hex = sample.key.toString('hex')
    const url = `${world.base}/surveys/ann/how-was-it/${hex}/`
    expect(header!.slice(-3)).toEqual(['_key', '_url', '_response_link'])
    expect(first!.slice(-3)).toEqual([hex, url, url])
  })

  test('changes the header cells with include_id and show_titles [spec 7.10]', async () => {
    const titles = [
      'Your name',
      'Colour',
      'Colour - Another',
      'Drinks - Tea',
      'Drinks - <b>Milk</b>',
      'Rate us - Service',
      'Rate us - Food',
      'Order - A',
      'Order - B',
      'Again?',
      'Recommend?',
    ]
    expect((await cells('?include_id=1')).header).toEqual(KEYS.map((name) => `{${name}}`))
    const [all] = table((await get('?include_id=1&include_key=1')).text)
    expect([all!.slice(0, 2), all!.at(-1)]).toEqual([['{_completed}', '{_id}'], '{_key}'])
    expect((await cells('?show_titles=1')).header).toEqual(titles)
    expect((await cells('?show_titles=1&include_id=1')).header).toEqual(
      titles.map((title, i) => `{${KEYS[i]}} ${title}`),
    )
  })

  test('writes one line for each answer if the parameter inverted is set [spec 7.10]', async () => {
    const records = table((await get(`?inverted=1&include_key=1&ids=${sample.ids[0]}&include=name,drinks,rate`)).text)
    const [id, hex] = [String(sample.ids[0]), sample.key.toString('hex')]
    expect(records).toEqual([
      ['response id', 'key', 'question', 'title', 'value', '_key'],
      [id, 'name', 'name', 'Your name', 'Zoë, "Z"', hex],
      [id, 'drinks\\0', 'drinks', 'Drinks - Tea', '0', hex],
      [id, 'drinks\\1', 'drinks', 'Drinks - <b>Milk</b>', '1', hex],
      [id, 'rate_0', 'rate', 'Rate us - Service', '1', hex],
    ])
  })

  test('omits the identity of respondents for an anonymous survey', async () => {
    const anonymous = await surveyWithQuestions(world, sample.ann, 'Secret', [questions[1]])
    await storeResponses(world, anonymous, [
      { username: 'zoe', ipAddress: '203.0.113.9', inviteEmail: 'zoe@example.org', referrer: 'x', getVariables: 'y' },
    ])
    const context = contextOf(world, sample.ann)
    const entity = await findSurvey(context, anonymous.id, 'Owner')
    entity.settings = { ...entity.settings, anonymous: true }
    await context.em.flush()
    const [, record] = table((await sample.ann.get(`/api/v3/surveys/${anonymous.id}/csv/`)).text)
    const metadata = Object.fromEntries(META.map((name, i) => [name, record![i]]))
    for (const name of [
      '_ip_address',
      '_username',
      '_get_variables',
      '_referrer',
      '_invite_code',
      '_invite_email',
      '_invite_name',
    ])
      expect(metadata[name]).toBe('')
  })

  test('writes the header for a survey without responses', async () => {
    const empty = await surveyWithQuestions(world, sample.ann, 'Emptÿ', [questions[1]])
    const reply = await sample.ann.get(`/api/v3/surveys/${empty.id}/csv/`)
    expect(reply.text).toBe(`${META},name\r\n`)
  })

  test('returns 404 for a survey of another account', async () => {
    const bob = await world.person()
    expect((await bob.get(`/api/v3/surveys/${sample.survey.id}/csv/`)).status).toBe(404)
  })
})
