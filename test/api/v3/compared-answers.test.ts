// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { beforeAll, describe, expect, it } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { addSurvey, submitForm } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const question = (idname: string, id: string, option: object = {}, more: object = {}) => ({
  idname,
  id,
  title: `${id}?`,
  children: [option],
  ...more,
})
const choices = [{ label: 'A' }, { label: 'B' }]
const first = {
  children: [
    question('number', 'income', { decimals: 2 }),
    question('number', 'rent', { decimals: 2 }),
    question('slider', 'share'),
    question('datetime', 'from', { format: 'date' }),
    question('datetime', 'until', { format: 'date' }),
    question('datetime', 'hour', { format: 'time' }),
    question('text-response', 'code'),
    question('email', 'again'),
    question('boolean-choice', 'here'),
    question('boolean-choice', 'there'),
    question('single-choice', 'one', { choices }),
    question('single-choice', 'two', { choices }),
    {
      ...question('text-response-grid', 'grid'),
      children: [{ label: 'x' }, { label: 'y' }],
    },
  ],
}
const rule = (one: string, op: string, answer: string, more: object = {}) => ({ question: one, op, answer, ...more })
const structureWith = (condition: object) => ({
  title: 'Compared',
  form: [
    first,
    { children: [question('text-response', 'always'), question('text-response', 'more', {}, { condition })] },
  ],
})

/** Returns whether the second page asks a question with a condition after these answers. */
async function asks(condition: object, answers: Record<string, string>): Promise<boolean> {
  const { path } = await addSurvey(ann, structureWith(condition))
  const page = await world.anonymous.get(path)
  const reply = await submitForm(world.anonymous, page, answers)
  const { text } = await world.anonymous.get(reply.headers.get('location')!)
  expect(text).toContain('name="always"')
  return text.includes('name="more"')
}

describe('a rule that compares two answers [spec 6.8]', () => {
  it.each([
    ['rent', 'gt', 'income', { income: '900', rent: '1000' }, true],
    ['rent', 'gt', 'income', { income: '1000', rent: '900' }, false],
    ['rent', 'gt', 'income', { rent: '900' }, false],
    ['rent', 'eq', 'income', { income: '9.50', rent: '9,5' }, true],
    ['rent', 'ne', 'income', { rent: '9' }, true],
    ['rent', 'ne', 'income', { rent: '9', income: '9' }, false],
    ['share', 'lt', 'income', { share: '9', income: '10' }, true],
    ['until', 'lt', 'from', { from: '2026-02-01', until: '2026-01-31' }, true],
    ['until', 'eq', 'from', { from: '2026-02-01', until: '2026-02-01' }, true],
    ['again', 'eq', 'code', { code: 'Ann@example.org', again: 'ann@example.org' }, true],
    ['code', 'eq', 'grid', { code: 'B', grid_1: 'b' }, true],
    ['code', 'eq', 'grid_0', { code: 'B', grid_1: 'b' }, false],
    ['code', 'lt', 'grid_0', { code: '9', grid_0: '10' }, true],
    ['here', 'eq', 'there', { here: 'false', there: 'false' }, true],
    ['here', 'ne', 'there', { here: 'false', there: 'true' }, true],
  ])('%s %s %s after %j: %s', async (one, op, other, answers, expected) => {
    expect(await asks(rule(one, op, other), answers)).toBe(expected)
  })

  it.each([
    ['texts with numbers', rule('code', 'eq', 'income'), 'answer', 'invalid_value'],
    ['dates with times', rule('from', 'lt', 'hour'), 'answer', 'invalid_value'],
    ['choices', rule('one', 'eq', 'two'), 'answer', 'invalid_value'],
    ['by an operator that does not compare', rule('code', 'contains', 'grid_0'), 'op', 'invalid_value'],
    ['beside a value', rule('rent', 'gt', 'income', { value: 5 }), 'answer', 'not_allowed'],
    ['with an unknown question', rule('rent', 'gt', 'nothing'), 'answer', 'unknown_question'],
    ['with a later question', rule('code', 'eq', 'more'), 'answer', 'out_of_reach'],
  ])('is rejected %s', async (_, condition, member, code) => {
    const id = await makeSurvey(ann, { title: 'Empty', form: [first] })
    const { status, body } = await ann.put(`/api/v3/surveys/${id}/structure/`, { json: structureWith(condition) })
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ code, field: `/form/1/children/1/condition/${member}` }],
    })
  })

  it('counts the product of the rows that it compares', async () => {
    const rows = Array.from({ length: 320 }, () => ({ label: 'r' }))
    const grids = ['a', 'b'].map((id) => ({ ...question('text-response-grid', id), children: rows }))
    const { status, body } = await ann.post('/api/v3/templates/', {
      json: {
        name: 'T',
        structure: {
          title: 'T',
          form: [
            { children: [grids[0]] },
            { children: [grids[1]] },
            { children: [question('text-response', 'q', {}, { condition: rule('a', 'eq', 'b') })] },
          ],
        },
      },
    })
    expect([status, body.errors?.[0]?.code]).toEqual([400, 'too_complex'])
  })

  it('is what comparisons of answers in an XLSForm become', async () => {
    const form = `
| survey | | | |
| | type | name | label | relevant |
| | integer | a | A? | |
| | decimal | b | B? | |
| | date | d | D? | |
| | time | t | T? | |
| | text | one | One? | \${a} > \${b} |
| | text | two | Two? | not(\${a} >= \${b}) |
| | text | three | Three? | \${one} = \${two} |
| | text | four | Four? | \${a} != \${b} |
| | text | five | Five? | \${one} > \${two} |
| | text | six | Six? | \${a} = \${d} |`
    const { body } = await ann.post('/api/v3/xlsform/', {
      body: Buffer.from(form),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const conditions = Object.fromEntries(
      body.structure.form
        .flatMap(({ children }: { children: object[] }) => children)
        .map(({ id, condition }: { id: string; condition?: object }) => [id, condition]),
    )
    expect(conditions).toMatchObject({
      one: { all: [{ question: 'a', op: 'gt', answer: 'b' }] },
      two: {
        any: [
          { question: 'a', op: 'lt', answer: 'b' },
          { question: 'a', op: 'unanswered' },
          { question: 'b', op: 'unanswered' },
        ],
      },
      three: { any: [{ question: 'one', op: 'eq', answer: 'two' }, { all: [{}, {}] }] },
      four: { all: [{ question: 'a', op: 'ne', answer: 'b' }, { any: [{}, {}] }] },
    })
    expect([conditions.five, conditions.six]).toEqual([undefined, undefined])
    const left = body.issues.filter(({ code }: { code: string }) => code === 'expression_not_supported')
    expect(left).toHaveLength(2)
    expect((await ann.post('/api/v3/templates/', { json: { name: 'X', structure: body.structure } })).status).toBe(201)
  })
})
