import { beforeAll, describe, expect, test } from '@jest/globals'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import { readSav } from '../../support/read-sav.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let api: string
let people: number
let food: number
const ids: number[] = []

const STRUCTURE = {
  title: 'Texts',
  form: [
    {
      type: 'page',
      children: [
        { idname: 'text-response', id: 'why', title: 'Why?', children: [{ type: 'string' }] },
        {
          idname: 'single-choice',
          id: 'how',
          title: 'How?',
          children: [{ type: 'single', choices: [{ label: 'Well' }, { label: 'Other', other: true }] }],
        },
      ],
    },
  ],
}

beforeAll(async () => {
  ann = await world.person()
  const survey = await makeSurvey(ann, STRUCTURE)
  api = `/api/v3/surveys/${survey}/`
  const answers = [{ why: 'Nice people, "good" soup' }, { why: 'Soup' }, {}, { why: ' ', how: 1, 'how\\other': 'So' }]
  for (const each of answers) ids.push((await respond(world, survey, { answers: each })).id)
  const category = async (name: string) => (await ann.post(`${api}coding/categories/`, { json: { name } })).body.id
  people = await category('People, nice')
  food = await category('Food')
  await code(0, 'why', { add: [people, food] })
  await code(1, 'why', { none: true })
  await code(3, 'how\\other', { add: [food] })
})

const code = (index: number, key: string, json: object) =>
  ann.post(`${api}coding/answers/`, { json: { answers: [{ response_id: ids[index], key }], ...json } })

async function get(path: string, headers: Record<string, string> = {}) {
  const reply = await fetch(world.base + api + path, { headers: { authorization: ann.authorization!, ...headers } })
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}
const lines = async (path: string) => (await get(path)).bytes.toString().trimEnd().split(/\r?\n/)

/** Returns the columns of categories, as `name: cells`. */
async function columnsOf(path: string, pattern: RegExp): Promise<Record<string, string>> {
  const { parse } = await import('csv-parse/sync')
  const [header, ...rows] = parse((await get(path)).bytes.toString(), { relax_column_count: false }) as string[][]
  return Object.fromEntries(
    header!.flatMap((name, index) =>
      pattern.test(name) ? [[name, rows.map((row) => row[index] || '-').join(' ')]] : [],
    ),
  )
}

describe('include_categories', () => {
  const expected = () => ({
    [`why\\category_${food}`]: '1 0 - -',
    [`why\\category_${people}`]: '1 0 - -',
    [`how\\other\\category_${food}`]: '- - - 1',
    [`how\\other\\category_${people}`]: '- - - 0',
  })

  test('adds a column of 0 and 1 for each category of each text answer to CSV [spec 7.18]', async () => {
    expect(await columnsOf('csv/?include_categories=1', /category/)).toEqual(expected())
    expect(await columnsOf('csv/?include_categories=1&include_labels=1&include_codes=1', /category/)).toEqual(
      expected(),
    )
    expect(await columnsOf('csv/', /category/)).toEqual({})
    const [header] = await lines('csv/?include_categories=1&show_titles=1')
    expect(header).toContain('Why?,Why? - Food,"Why? - People, nice",How?')
    expect(Object.keys(await columnsOf('csv/?include_categories=1&include=how', /category/))).toHaveLength(2)
  })

  test('adds members to JSON Lines [spec 7.18]', async () => {
    const rows = (await lines('jsonl/?include_categories=1')).map((line) => JSON.parse(line))
    expect(rows.map((row) => [row[`why\\category_${food}`], row[`how\\other\\category_${food}`]])).toEqual([
      [1, undefined],
      [0, undefined],
      [undefined, undefined],
      [undefined, 1],
    ])
  })

  test('adds variables to the files for statistics programs and to the codebook [spec 7.18]', async () => {
    expect(await columnsOf('csv/?for_statistics=1&include_categories=1', /_cat_/)).toEqual({
      [`why_cat_${food}`]: '1 0 - -',
      [`why_cat_${people}`]: '1 0 - -',
      [`how_other_cat_${food}`]: '- - - 1',
      [`how_other_cat_${people}`]: '- - - 0',
    })
    const codebook = await lines('codebook/?include_categories=1')
    expect(codebook).toContain(`why_cat_${food},Why? - Food,number,nominal,no answer,1,Yes,why,why\\category_${food}`)
    expect((await lines('codebook/')).join()).not.toContain('_cat_')
  })

  test('adds ticks with labels and multiple response sets to a system file of SPSS [spec 7.18]', async () => {
    const sav = readSav((await get('sav/?include_categories=1')).bytes)
    const variable = sav.variables.find(({ name }) => name === `why_cat_${people}`)
    expect(variable).toMatchObject({ label: 'Why? - People, nice', width: 0, values: { 0: 'No', 1: 'Yes' } })
    expect(sav.rows.map((row) => row[`why_cat_${people}`])).toEqual([1, 0, null, null])
    expect(sav.sets.map(({ label, variables }) => [label, variables.length])).toEqual([
      ['Why?', 2],
      ['How? - Other (text)', 2],
    ])
  })

  test.each(['dta', 'parquet', 'xlsx'])('is accepted by .%s [spec 7.18]', async (format) => {
    const [without, file] = [await get(`${format}/`), await get(`${format}/?include_categories=1`)]
    expect([file.status, file.bytes.length > without.bytes.length]).toEqual([200, true])
  })

  test('changes the ETag with the coding, only of files that contain it [spec 7.18]', async () => {
    const paths = ['csv/?include_categories=1', 'csv/', 'sav/?include_categories=1'] as const
    const tags = async () => Promise.all(paths.map(async (path) => (await get(path)).headers.get('etag')!))
    const before = await tags()
    expect((await get(paths[0], { 'if-none-match': before[0]! })).status).toBe(304)
    await code(1, 'why', { add: [food] })
    const after = await tags()
    expect(after.map((tag, index) => tag === before[index])).toEqual([false, true, false])
    await code(1, 'why', { none: true })
    await ann.put(`${api}coding/categories/${food}/`, { json: { name: 'Meals' } })
    expect((await get(paths[0], { 'if-none-match': after[0]! })).status).toBe(200)
    await ann.put(`${api}coding/categories/${food}/`, { json: { name: 'Food' } })
  })

  test('can be imported again, without the categories [spec 7.12]', async () => {
    const copy = await makeSurvey(ann, STRUCTURE)
    for (const path of ['csv/?include_categories=1', 'csv/?include_categories=1&for_statistics=1']) {
      const text = (await get(path)).bytes.toString()
      expect(await ann.act((context) => importResponses(context, copy, text))).toMatchObject({ imported: 4 })
    }
    const { results } = (await ann.get(`/api/v3/surveys/${copy}/responses/`)).body
    expect(results.map(({ why }: { why?: string }) => why?.trim()).filter(Boolean)).toEqual([
      'Nice people, "good" soup',
      'Soup',
      'Nice people, "good" soup',
      'Soup',
    ])
  })
})
