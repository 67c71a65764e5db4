import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../support/world.ts'
import { answersOf, notesOf, OCTETS, proofsOf, sendFiles } from './world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const FORM = {
  title: { default: 'Breakfast', de: 'Frühstück' },
  pages: [
    {
      name: 'first',
      elements: [
        {
          type: 'radiogroup',
          name: 'drink',
          title: { default: 'What do you <b>drink</b>?', de: 'Was trinken Sie?' },
          isRequired: true,
          hasOther: true,
          choices: [{ value: 'c', text: 'Coffee' }, { value: 't', text: { default: 'Tea', de: 'Tee' } }, 'water'],
        },
        {
          type: 'checkbox',
          name: 'with',
          title: 'With?',
          visibleIf: "{drink} anyof ['c', 't']",
          choices: ['milk', 'sugar'],
        },
        { type: 'text', inputType: 'number', name: 'cups', title: 'How many?', min: 0, visibleIf: '{drink} = c' },
      ],
    },
    {
      name: 'second',
      visibleIf: '{with} contains milk and {cups} > 2',
      elements: [
        { type: 'matrix', name: 'taste', title: 'Taste', columns: [1, 2, 3], rows: ['hot', 'cold'] },
        { type: 'rating', name: 'stars', title: 'Stars' },
        { type: 'boolean', name: 'again', title: 'Again?' },
        { type: 'comment', name: 'why', title: 'Why?' },
        { type: 'paneldynamic', name: 'many', title: 'Many' },
        { type: 'ranking', name: 'order', title: 'Order', choices: ['a', 'b'] },
      ],
    },
  ],
}
const RESULTS = [
  {
    drink: 'c',
    with: ['milk', 'sugar'],
    cups: 3,
    taste: { hot: 1, cold: 3, warm: 2 },
    stars: 5,
    again: true,
    why: 'So',
    order: ['b', 'a'],
  },
  { drink: 'other', 'drink-Comment': 'Juice', with: ['honey', 'milk'], cups: 2.5, again: false },
  { drink: 'beer', cups: 'many', stars: 9, many: [{ x: 1 }], extra: 1 },
]

describe('importSurvey', () => {
  test('imports a survey of SurveyJS with its responses, and proves the totals [spec 5.16]', async () => {
    const { status, body } = await sendFiles(ann, {
      'form.json': JSON.stringify(FORM),
      'results.json': JSON.stringify(RESULTS),
    })
    expect([status, body.format, body.responses, body.stored]).toEqual([201, 'surveyjs', 3, 3])
    expect(notesOf(body.notes)).toEqual([
      'formatting_removed drink What do you <b>drink</b>?',
      'type_not_supported many paneldynamic',
      'answer_without_question taste.warm:1',
      'answer_not_a_choice with with:2 honey',
      'answer_not_a_choice drink drink:3 beer',
      'answer_not_a_choice stars stars:3 9',
      'answer_without_question many:3',
      'answer_without_question extra:3',
      'answer_not_accepted cups cups:3 many',
    ])
    expect(proofsOf(body.proofs)).toEqual([
      'drink 3=2 c>Coffee 1=1, t>Tea 0=0, water>water 0=0, other>Other 1=1, beer>null 1=0 differs',
      'drink\\other 1=1',
      'with 2=2 milk>milk 2=2, sugar>sugar 1=1, honey>null 1=0 differs',
      'cups 3=2 Σ5.5=5.5 differs',
      'taste_0 1=1 1>1 1=1, 2>2 0=0, 3>3 0=0',
      'taste_1 1=1 1>1 0=0, 2>2 0=0, 3>3 1=1',
      'stars 2=1 1>1 0=0, 2>2 0=0, 3>3 0=0, 4>4 0=0, 5>5 1=1, 9>null 1=0 differs',
      'again 2=2 true>Yes 1=1, false>No 1=1',
      'why 1=1',
      'order 1=1 a>a 1=1, b>b 1=1',
    ])
    expect(await answersOf(ann, body.survey_uri)).toEqual([
      { drink: 0, with: [0, 1], cups: 3, taste_0: 0, taste_1: 2, stars: 5, again: true, why: 'So', order: [1, 0] },
      { drink: 3, 'drink\\other': 'Juice', with: [0], cups: 2.5, again: false },
      {},
    ])
    const structure = (await ann.get(`${new URL(body.survey_uri).pathname}structure/`)).body
    const [first, second] = structure.form
    expect(first.children[0].title).toEqual({ en: 'What do you drink?', de: 'Was trinken Sie?' })
    expect(first.children[1].condition).toEqual({
      any: [
        { question: 'drink', op: 'eq', code: 'c' },
        { question: 'drink', op: 'eq', code: 't' },
      ],
    })
    expect(second.condition).toEqual({
      all: [
        { question: 'with', op: 'contains', code: 'milk' },
        { question: 'cups', op: 'gt', value: 2 },
      ],
    })
  })

  test('keeps the report with the survey', async () => {
    const { body } = await sendFiles(ann, { a: JSON.stringify(FORM), b: JSON.stringify(RESULTS) })
    const kept = await ann.get(new URL(body.import_uri).pathname)
    expect([kept.status, kept.body]).toEqual([200, body])
    const bob = await world.person()
    expect((await bob.get(new URL(body.import_uri).pathname)).status).toBe(404)
  })

  test('repeats a request with the same Idempotency-Key once', async () => {
    const body = Buffer.from(JSON.stringify(FORM))
    const headers = { ...OCTETS, 'idempotency-key': 'once' }
    const [one, two] = [
      await ann.post('/api/v3/imports/?name=Once', { body, headers }),
      await ann.post('/api/v3/imports/?name=Once', { body, headers }),
    ]
    expect(one.status).toBe(201)
    expect(two.body).toEqual(one.body)
    expect((await ann.get(new URL(one.body.survey_uri).pathname)).body).toMatchObject({ name: 'Once', live: 0 })
  })

  test('says which file cannot be imported, and why', async () => {
    const send = async (files: Record<string, string>) => {
      const { status, body } = await sendFiles(ann, files)
      return [
        status,
        body.code,
        body.errors?.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
      ]
    }
    expect(await send({ a: 'hello' })).toEqual([400, 'invalid_import', ['file unknown_survey_file']])
    expect(await send({ a: 'PK\u0003\u0004 broken' })).toEqual([400, 'invalid_import', ['file damaged_survey_file']])
    expect(await send(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, 'x'])))).toEqual([
      400,
      'invalid_import',
      ['file too_many_files'],
    ])
    const deep = { elements: [{ type: 'text', name: 'a' }] as object[] }
    let panel: object = { type: 'text', name: 'b' }
    for (let level = 0; level < 70; level++) panel = { type: 'panel', name: `p${level}`, elements: [panel] }
    deep.elements.push(panel)
    expect(await send({ a: JSON.stringify(deep) })).toEqual([400, 'invalid_import', ['file too_deep']])
    const bomb = 'x'.repeat(41 * 1024 * 1024)
    expect(await send({ a: bomb, b: 'x' })).toEqual([400, 'invalid_import', ['a survey_file_too_large']])
  })
})

describe('previewImport', () => {
  test('shows what an import would do, and stores nothing [spec 5.16]', async () => {
    const count = async () => (await ann.get('/api/v3/surveys/')).body.count
    const before = await count()
    const { status, body } = await sendFiles(
      ann,
      { a: JSON.stringify(FORM), b: JSON.stringify(RESULTS) },
      '/api/v3/imports/preview/',
    )
    expect([status, body.title, body.responses, body.notes.length]).toEqual([200, 'Breakfast', 3, 9])
    expect(body.proofs[0]).toMatchObject({ old: { answered: 3 }, new: { answered: 0 } })
    expect(await count()).toBe(before)
    const created = await ann.post('/api/v3/surveys/', { json: { name: 'B', initial_structure: body.structure } })
    expect(created.status).toBe(201)
  })
})

describe('getSurveyImport', () => {
  test('is 404 for a survey that was not imported [spec 5.16]', async () => {
    const { body } = await ann.post('/api/v3/surveys/', { json: { name: 'Own' } })
    const reply = await ann.get(`/api/v3/surveys/${body.id}/import/`)
    expect([reply.status, reply.body.code]).toEqual([404, 'import_not_found'])
  })
})
