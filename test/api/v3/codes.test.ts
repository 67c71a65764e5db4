import { beforeAll, describe, expect, it } from '@jest/globals'
import { signInAs } from '../../support/http-browser.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { addSurvey, submitForm } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()

/** The codes 1 and 2 are also positions of other choices, and 99 is not; `Maybe` is a code and the label of another. */
const answers = [
  { label: 'Yes', code: '1' },
  { label: 'No', code: '2' },
  { label: 'Maybe', code: 'dk' },
  { label: 'Refused', code: '99' },
]
const single = { idname: 'single-choice', id: 'smoke', title: 'Smoke?', children: [{ choices: answers }] }
const multiple = {
  idname: 'multiple-choice',
  id: 'what',
  title: 'What?',
  children: [
    {
      choices: [
        { label: 'Pipe', code: 'pipe' },
        { label: 'Cigar', code: 'cigar' },
      ],
    },
  ],
}
const grid = {
  idname: 'single-choice-grid',
  id: 'rate',
  title: 'Rate',
  choices: [
    { label: 'Good', code: 'g' },
    { label: 'Bad', code: 'b' },
  ],
  children: [{ label: 'Price' }, { label: 'Taste' }],
}
const yesNo = {
  idname: 'boolean-choice',
  id: 'sure',
  title: 'Sure?',
  children: [
    {
      choices: [
        { label: 'Yes', code: 'y' },
        { label: 'No', code: 'n' },
      ],
    },
  ],
}
const twisted = {
  idname: 'dropdown-choice',
  id: 'twisted',
  title: 'Twisted',
  children: [
    {
      choices: [
        { label: 'A', code: 'B' },
        { label: 'B', code: 'A' },
      ],
    },
  ],
}
const form = [{ children: [single, multiple, grid, yesNo, twisted] }]

describe('codes in filters [spec 7.7]', () => {
  let ann: Person
  let path: string
  let survey: number
  beforeAll(async () => {
    ann = await world.person()
    survey = await makeSurvey(ann, { title: 'Codes', form })
    path = `/api/v3/surveys/${survey}`
    await respond(world, survey, { answers: { smoke: 0, what: [0], rate_0: 1, sure: true, twisted: 0 } })
    await respond(world, survey, { answers: { smoke: 1, what: [1], rate_1: 1, sure: false, twisted: 1 } })
    await respond(world, survey, { answers: { smoke: 3, what: [0, 1], rate_0: 0, rate_1: 0 } })
  })

  it.each([
    ['smoke=99', 1],
    ['smoke=dk', 0],
    ['smoke=Refused', 1],
    // A number that is a position means the position, as before.
    ['smoke=1', 1],
    ['smoke%5Ccode=1', 1],
    ['smoke%5Ccode=99', 1],
    ['smoke%5Ccode=', 0],
    ['what=cigar', 2],
    ['what%5Ccode=pipe', 2],
    ['rate=b', 2],
    ['rate_0=b', 1],
    ['rate%5Ccode=b', 2],
    ['rate_1%5Ccode=g', 1],
    ['sure=n', 1],
    ['sure%5Ccode=y', 1],
    ['twisted%5Ccode=B', 1],
  ])('find the responses for %s in the list and the export', async (query, count) => {
    const list = await ann.get(`${path}/responses/?${query}`)
    expect([list.status, list.body.count]).toEqual([200, count])
    const csv = await ann.get(`${path}/csv/?${query}`)
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(count + 1)
  })

  it('tell the position from the code of a choice', async () => {
    const smokers = async (query: string) =>
      (await ann.get(`${path}/responses/?${query}`)).body.results.map(({ smoke }: { smoke: number }) => smoke)
    expect(await smokers('smoke=1')).toEqual([1])
    expect(await smokers('smoke%5Ccode=1')).toEqual([0])
    expect(await smokers('smoke%5Ccode=2')).toEqual([1])
  })

  it('return 400 with both readings for the code of one choice that is the label of another', async () => {
    const { status, body } = await ann.get(`${path}/responses/?twisted=A`)
    expect(status).toBe(400)
    expect(body.errors).toEqual([
      expect.objectContaining({
        field: 'twisted',
        code: 'invalid_filter',
        message: expect.stringMatching(/the code of “B” and the label of “A”/),
      }),
    ])
    for (const query of ['smoke%5Ccode=3x', 'smoke%5Ccode>1', 'sure%5Ccode=maybe'])
      expect([query, (await ann.get(`${path}/responses/?${query}`)).body.errors?.[0].code]).toEqual([
        query,
        'invalid_filter',
      ])
    expect((await ann.get(`${path}/responses/?smoke%5C0%5Ccode=1`)).body.errors?.[0].code).toBe('unknown_parameter')
  })

  it('keep their meaning in saved filters when choices and rows move', async () => {
    const id = await makeSurvey(ann, { title: 'Moving', form })
    const uri = `/api/v3/surveys/${id}`
    const { id: yes } = await respond(world, id, { answers: { smoke: 0, rate_0: 1 } })
    await respond(world, id, { answers: { smoke: 1, rate_1: 1 } })
    const query = 'smoke%5Ccode=1&rate_0%5Ccode=b'
    expect((await ann.post(`${uri}/filters/`, { json: { name: 'yes', query } })).status).toBe(201)
    const { body: structure } = await ann.get(`${uri}/structure/`)
    const [smoke, , rate] = structure.form[0].children
    smoke.children[0].choices.reverse()
    rate.children.reverse()
    rate.choices.reverse()
    expect((await ann.put(`${uri}/structure/`, { json: structure })).status).toBe(200)
    expect((await ann.get(`${uri}/responses/?filter=yes`)).body).toMatchObject({ count: 1, results: [{ _id: yes }] })
    expect((await ann.get(`${uri}/filters/`)).body.results).toMatchObject([{ query: 'smoke%5Ccode=1&rate_1%5Ccode=b' }])
    await ann.post(`${uri}/filters/`, { json: { name: 'later', query: 'rate_1%5Ccode=b' } })
    rate.children.reverse()
    await ann.put(`${uri}/structure/`, { json: { ...structure } })
    expect((await ann.get(`${uri}/responses/?filter=later`)).body).toMatchObject({ count: 1, results: [{ _id: yes }] })
  })
})

describe('codes in conditions [spec 6.8]', () => {
  const text = (id: string, more: object = {}) => ({ idname: 'text-response', id, title: id, children: [{}], ...more })
  const rule = (question: string, more: object, op = 'eq') => ({ all: [{ question, op, ...more }] })

  /** Returns the page that follows a first page with these answers. */
  async function pageAfter(
    pages: object[],
    answers: Record<string, string | string[]>,
    more: object = {},
  ): Promise<string> {
    const ann = await world.person()
    const { path } = await addSurvey(ann, { title: 'Codes', form: [{ ...form[0], ...more }, ...pages] })
    const first = await world.anonymous.get(path)
    const reply = await submitForm(world.anonymous, first, answers)
    return (await world.anonymous.get(reply.headers.get('location')!)).text
  }

  it.each([
    ['smoke', 'eq', { value: 'dk' }, ['0', '1', '2', '3'], ['2']],
    ['smoke', 'eq', { value: '99' }, ['0', '1', '2', '3'], ['3']],
    ['smoke', 'eq', { value: 1 }, ['0', '1', '2', '3'], ['1']],
    ['smoke', 'eq', { code: '1' }, ['0', '1', '2', '3'], ['0']],
    ['smoke', 'ne', { code: '2' }, ['0', '1', '2', '3'], ['0', '2', '3']],
    ['what', 'contains', { value: 'cigar' }, ['0', '1'], ['1']],
    ['what', 'eq', { code: ['pipe'] }, ['0', '1'], ['0']],
    ['rate', 'eq', { value: 'b' }, [], []],
    ['sure', 'eq', { value: 'n' }, ['true', 'false'], ['false']],
    ['sure', 'eq', { code: 'y' }, ['true', 'false'], ['true']],
    ['twisted', 'eq', { code: 'A' }, ['0', '1'], ['1']],
  ])('show a question if %s %s %j', async (question, op, value, sent, shownFor) => {
    const shown = []
    for (const answer of sent) {
      const page = await pageAfter(
        [{ children: [text('always'), text('more', { condition: rule(question, value, op) })] }],
        {
          [question]: answer,
        },
      )
      expect(page).toContain('name="always"')
      if (page.includes('name="more"')) shown.push(answer)
    }
    expect(shown).toEqual(shownFor)
  })

  it('lead a skip', async () => {
    const skip = [{ when: rule('smoke', { code: '1' }), to: 3 }]
    const pages = [{ children: [text('second')] }, { children: [text('third')] }]
    expect(await pageAfter(pages, { smoke: '0' }, { skip })).toContain('name="third"')
    expect(await pageAfter(pages, { smoke: '1' }, { skip })).toContain('name="second"')
  })

  it('follow the choices that the builder moves and renames, and keep a choice that a rule names', async () => {
    const ann = await world.person()
    const condition = {
      any: [
        { question: 'smoke', op: 'eq', code: '1' },
        { question: 'smoke', op: 'eq', value: 'dk' },
      ],
    }
    const id = await makeSurvey(ann, { title: 'Codes', form: [...form, { children: [text('more', { condition })] }] })
    const browser = await signInAs(ann)
    const root = `/account/surveys/${id}/edit/`
    const page = await browser.get(`${root}condition/?id=more`)
    expect(page.text).toContain('<option value="0" selected>Yes</option>')
    expect(page.text).toContain('<option value="2" selected>Maybe</option>')
    expect((await browser.get(root)).text).toMatch(/is Yes or (<[^>]*>)*“Smoke\?”(<[^>]*>)* is Maybe/)
  })

  it.each([
    ['a text that is a position and the code of another choice', { value: '1' }, 'value', 'ambiguous_choice'],
    ['a code that no choice has', { code: 'zz' }, 'code', 'invalid_value'],
    ['a code that is no text', { code: 1 }, 'code', 'invalid_type'],
    ['a code beside a value', { code: 'dk', value: 2 }, 'code', 'not_allowed'],
  ])('cannot be %s', async (_, more, member, code) => {
    const ann = await world.person()
    const id = await makeSurvey(ann, { title: 'Codes', form })
    const { status, body } = await ann.put(`/api/v3/surveys/${id}/structure/`, {
      json: { title: 'Codes', form: [...form, { children: [text('more', { condition: rule('smoke', more) })] }] },
    })
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ code, field: `/form/1/children/0/condition/all/0/${member}` }],
    })
  })
})
