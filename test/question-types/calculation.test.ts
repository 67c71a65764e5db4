import { describe, expect, it, test } from '@jest/globals'
import { evaluate, parseExpression } from '../../src/domain/structure/expression.ts'
import fc from '../support/fast-check.ts'
import { useQuestionType } from '../support/question-type.ts'
import { submitForm } from '../support/surveys.ts'

const type = useQuestionType()
const number = (id: string) => ({ idname: 'number', id, title: `Number ${id}`, children: [{}] })
const price = number('price')
const pieces = number('pieces')
const calculation = (expression: unknown, settings: object = {}) => ({
  idname: 'calculation',
  id: 'total',
  title: 'Total',
  children: [{ expression, ...settings }],
})
const total = calculation('{{ price }} * {{ pieces }}')

/** Returns the first error of a calculation that follows the question `price`; undefined if it is valid. */
async function errorsOf(expression: unknown) {
  const { id } = await type.survey([price])
  const { status, body } = await type.put(id, [
    price,
    { idname: 'section-separator', id: 'text' },
    calculation(expression),
    number('late'),
  ])
  if (status === 200) return undefined
  const [{ field, code, message }] = body.errors
  expect(field).toBe('/form/0/children/2/children/0/expression')
  return `${code}: ${message}`
}

describe('a calculation [spec 6.4]', () => {
  it('keeps its expression', async () => {
    const { id, owner } = await type.survey([price, pieces, total])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[2].children).toEqual([
      { type: 'calculation', expression: '{{ price }} * {{ pieces }}' },
    ])
  })

  it('shows no traces of binary fractions in the API and in CSV, and neither do scores', async () => {
    const scored = [0.1, 0.2].map((score) => ({ label: String(score), score }))
    const choices = { idname: 'multiple-choice', id: 'many', title: 'Many', children: [{ choices: scored }] }
    const { id, owner } = await type.survey([
      { ...price, children: [{ decimals: 3 }] },
      choices,
      calculation('{{ price }} * 1', { decimals: 2 }),
    ])
    const uri = `/api/v3/surveys/${id}/`
    await owner.post(`${uri}responses/`, { json: { price: 1.005, many: [0, 1], _completed: 1 } })
    const { body } = await owner.get(`${uri}responses/`)
    expect(body.results).toMatchObject([{ total: 1.01, _weighted_score: 0.3 }])
    const [header, row] = (await owner.get(`${uri}csv/`)).text.split('\r\n').map((line) => line.split(','))
    const cell = (name: string) => row![header!.indexOf(name)]
    expect([cell('total'), cell('_weighted_score')]).toEqual(['1.01', '0.3'])
  })

  test.each([
    [undefined, 'required: is required'],
    [5, 'invalid_type: must be a string of at most 1000 characters'],
    ['', 'invalid_expression: must have a number, an answer or a function at the end'],
    ['1 +', 'invalid_expression: must have a number, an answer or a function at the end'],
    ['1 2', 'invalid_expression: must have an operator before “2”'],
    ['(1', 'invalid_expression: must have “)” at the end'],
    ['eval(1)', 'invalid_expression: has no function “eval”; there are round, abs, min, max, sum, mean, count, if'],
    ['constructor(1)', 'invalid_expression: has no function “constructor”'],
    ['round(1, 2)', 'invalid_expression: must pass 1 values to the function “round”'],
    ['process.exit()', 'invalid_expression: cannot be read from “.exit()” on'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, 'invalid_expression: must be nested at most 32 levels deep'],
    ['{{ nothing }}', 'unknown_question: '],
    ['{{ text }}', 'not_answerable: '],
    ['{{ total }} + 1', 'out_of_reach: must use earlier questions only, not “total”'],
    ['{{ late }}', 'out_of_reach: must use earlier questions only, not “late”'],
  ])('rejects the expression %j', async (expression, error) => {
    expect(await errorsOf(expression)).toContain(error)
  })

  test.each([
    ['1 + 2 * 3 - 4 / 2', 5],
    ['-(2 - 5) * 1.5', 4.5],
    ['2 - 3 - 4', -5],
    ['if(2 >= 2, 10, 20) + (1 = 2) + (1 != 2)', 11],
    ['round(2.5) + abs(-3) + min(4, 2) + max(1, 7)', 15],
    ['sum({{ none }}, 2, 3) + mean(1, {{ none }}, 2) + count({{ none }}, 1)', 7.5],
    ['{{ none }} + 1', null],
    ['1 / 0', null],
    ['if({{ none }} > 1, 1, 2)', 2],
  ])('calculates %s', (expression, value) => {
    expect(evaluate(parseExpression(expression), () => null)).toBe(value)
  })

  it('returns a number, null or an error message for any sequence of the symbols of expressions', () => {
    const symbol = fc.constantFrom(
      '1',
      '2.5',
      '+',
      '-',
      '*',
      '/',
      '(',
      ')',
      ',',
      '<',
      '=',
      'if(',
      'sum(',
      '{{ a }}',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(symbol, { maxLength: 300 }), (symbols) => {
        let parsed: ReturnType<typeof parseExpression>
        try {
          parsed = parseExpression(symbols.join(''))
        } catch (error) {
          return expect((error as Error).message).toMatch(/^(must|cannot|has)/)
        }
        const value = evaluate(parsed, () => 1)
        expect(value === null || typeof value === 'number').toBe(true)
      }),
    )
  })

  it('is calculated when a page is submitted on a phone, with and without scripts, and inserted into texts', async () => {
    const done = { idname: 'section-separator', id: 'done', title: 'That is {{ total }} euros.' }
    const survey = await type.survey([price, pieces, total])
    await type.journey(survey, {
      right: async (page) => {
        expect(await page.getByText('Total').count()).toBe(0)
        await page.getByLabel('Number price').fill('3')
        await page.getByLabel('Number pieces').fill('4')
      },
    })
    const answers = { price: 3, pieces: 4, total: 12 }
    expect(await survey.stored()).toEqual([answers, answers])
    await type.put(survey.id, [price, pieces, total, done])
    const { body } = await survey.answer({ price: 2, pieces: 5 })
    expect((await type.world.anonymous.get(new URL(body.url).pathname)).text).toContain('That is 10 euros.')
  })

  it('cannot be set by a link, a form or a program, and is computed again after each change of an answer', async () => {
    const { anonymous } = type.world
    const survey = await type.survey([price, pieces, total])
    const page = await anonymous.get(`${new URL(survey.url).pathname}?total=99`)
    await submitForm(anonymous, page, { price: '1', pieces: '2', total: '99' })
    const { body } = await survey.answer({ price: 1, pieces: 3, total: 99 })
    expect((await survey.answerV2({ price: 2, total: 99 })).body).toMatchObject({ success: true })
    expect(await survey.stored()).toEqual([
      { price: 1, pieces: 2, total: 2 },
      { price: 1, pieces: 3, total: 3 },
      { price: 2 },
    ])
    const uri = `/api/v3/surveys/${survey.id}/responses/${body.id}/`
    const stored = async () => (await survey.stored())[1]
    await survey.owner.put(uri, { json: { price: 5 } })
    expect(await stored()).toEqual({ price: 5, pieces: 3, total: 15 })
    await survey.owner.put(uri, { json: { _completed: 1, pieces: 4 } })
    expect(await stored()).toEqual({ price: 5, pieces: 4, total: 20 })
    await survey.owner.put(uri, { json: { pieces: '' } })
    expect(await stored()).toEqual({ price: 5 })
  })

  it('can add scores of choices and rows, and be used in conditions', async () => {
    const choices = [
      { label: 'Poor', score: -1 },
      { label: 'Good', score: 4 },
    ]
    const survey = await type.survey([
      { idname: 'single-choice', id: 'taste', title: 'Taste', identifier: 'flavour', children: [{ choices }] },
      { idname: 'multiple-choice', id: 'with', title: 'With', children: [{ choices }] },
      { idname: 'single-choice-grid', id: 'look', choices, children: [{ label: 'Cup' }, { label: 'Plate' }] },
      { idname: 'rating', id: 'stars', title: 'Stars' },
      calculation('{{ flavour }} + {{ with }} + {{ look }} + {{ look_1 }} / 3 + {{ stars }}', { decimals: 1 }),
      {
        idname: 'text-response',
        id: 'why',
        title: 'Why?',
        condition: { all: [{ question: 'total', op: 'gt', value: 10 }] },
      },
    ])
    const answers = { taste: 1, with: [0, 1], look_0: 1, look_1: 0, stars: 5 }
    const { body } = await survey.answer(answers)
    expect(await survey.stored()).toEqual([{ ...answers, total: 14.7 }])
    const page = await type.world.anonymous.get(new URL(body.url).pathname)
    expect(page.text).not.toMatch(/<fieldset[^>]*data-question="why"[^>]* disabled/)
  })

  it('has a CSV column, statistics and filters like a number', async () => {
    const survey = await type.survey([price, pieces, total])
    for (const count of [1, 2, 3]) await survey.answer({ price: 2, pieces: count, _completed: 1 })
    expect((await survey.csv()).map((row) => row[2])).toEqual(['total', '2', '4', '6'])
    expect(await survey.stats('total')).toMatchObject({ type: 'calculation', mean: 4, numbers: { min: 2, max: 6 } })
    expect(await survey.report()).toContain('mean 4, median 4, range 2 to 6')
    expect(await survey.shown('?total>3')).toHaveLength(2)
    await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: 'price,pieces,total\n5,5,1\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect((await survey.stored()).at(-1)).toEqual({ price: 5, pieces: 5, total: 25 })
  })
})
