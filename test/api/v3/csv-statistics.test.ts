import { beforeAll, describe, expect, test } from '@jest/globals'
import { storeResponses, surveyWithQuestions, table } from '../../support/exports.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

const get = (id: number, query = '') => ann.get(`/api/v3/surveys/${id}/csv/?for_statistics=1${query}`)

/** Returns the columns of a file by name. */
async function columns(id: number, query = ''): Promise<Record<string, string[]>> {
  const [header, ...rows] = table((await get(id, query)).text)
  return Object.fromEntries(header!.map((name, index) => [name, rows.map((row) => row[index]!)]))
}

const namesOf = async (id: number) => Object.keys(await columns(id)).filter((name) => !/^response_/.test(name))

const put = (id: number, form: object[]) =>
  ann.put(`/api/v3/surveys/${id}/structure/`, { json: { title: 'Names', form } })

const labels = (...texts: string[]) => texts.map((label) => ({ label }))

describe('exportCsv with for_statistics [spec 7.16]', () => {
  test('writes 1 for a tick, 0 for a choice that was asked, and nothing for one that was not', async () => {
    const many = { idname: 'multiple-choice', choices: labels('Tea', 'Milk', 'Water') }
    const { id } = await surveyWithQuestions(world, ann, 'Ticks', [{ ...many, id: 'first', title: 'First' }])
    const when = { all: [{ question: 'first', op: 'answered' }] }
    await put(id, [
      { children: [{ ...many, id: 'first', title: 'First' }] },
      { children: [{ ...many, id: 'second', title: 'Second', condition: when }] },
      { children: [{ idname: 'consent', id: 'ok', title: 'Consent' }] },
    ])
    const json = (answers: object) => ann.post(`/api/v3/surveys/${id}/responses/`, { json: answers })
    await json({ first: [0, 2], second: [1], ok: true, _completed: 1 })
    await json({ first: [1], _completed: 1 })
    await json({ _completed: 1 })
    await json({ first: [1] })
    const found = await columns(id)
    expect([found.first_1, found.first_2, found.first_3]).toEqual([
      ['1', '0', '0', '0'],
      ['0', '1', '0', '1'],
      ['1', '0', '0', '0'],
    ])
    expect(found.second_2).toEqual(['1', '0', '', ''])
    expect(found.ok).toEqual(['1', '0', '0', ''])
  })

  test('writes a blank for the questions after the page on which a quota ended a response', async () => {
    const many = { idname: 'multiple-choice', choices: labels('Tea', 'Milk') }
    const survey = await surveyWithQuestions(world, ann, 'Quota', [])
    await put(survey.id, [
      { children: [{ ...many, id: 'first', title: 'First' }] },
      { children: [{ ...many, id: 'second', title: 'Second' }] },
    ])
    await storeResponses(world, { ...survey, id: survey.id }, [
      { answers: { first: [0] }, completed: 1, pagepath: '1' },
      { answers: { first: [0] }, completed: 1, pagepath: '1,2' },
    ])
    expect((await columns(survey.id)).second_1).toEqual(['', '0'])
  })

  test('writes one line for each response, whatever line breaks the texts have', async () => {
    const survey = await surveyWithQuestions(world, ann, 'Lines', [
      { idname: 'text-response', id: 'text', title: 'Text' },
    ])
    const breaks = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029']
    await storeResponses(world, survey, [{ answers: { text: `a${breaks.join('b')}c` }, referrer: 'x\ny' }])
    const { text } = await get(survey.id)
    expect(text.split(/[\n\v\f\r\u0085\u2028\u2029]+/)).toHaveLength(3)
    expect((await columns(survey.id)).text).toEqual([`a${breaks.map(() => '\\n').join('b')}c`])
  })

  test('writes codes, otherwise positions from 1, and a negative number for a removed choice', async () => {
    const choices = [{ label: 'Fully', code: '98' }, { label: 'Partly' }, { label: 'Never', code: '2' }]
    const question = { idname: 'single-choice', id: 'one', title: 'One' }
    const survey = await surveyWithQuestions(world, ann, 'Codes', [{ ...question, choices }])
    await storeResponses(
      world,
      survey,
      [0, 1, 2].map((one) => ({ answers: { one } })),
    )
    // 2 is the code of another choice, so the second choice gets the next free number.
    expect((await columns(survey.id)).one).toEqual(['98', '4', '2'])
    await put(survey.id, [
      { children: [{ ...question, choices: [{ label: 'Never', code: '2' }, { label: 'Partly' }] }] },
    ])
    expect((await columns(survey.id)).one).toEqual(['98', '3', '2'])
    await put(survey.id, [
      {
        children: [
          {
            ...question,
            choices: [
              { label: 'Never', code: '2' },
              { label: 'Half', code: '98' },
            ],
          },
        ],
      },
    ])
    expect((await columns(survey.id)).one).toEqual(['-1', '98', '2'])
  })

  test('keeps every name when questions, rows and choices move or are removed', async () => {
    const question = (idname: string, id: string, more: object = {}) => ({ idname, id, title: id, ...more })
    const page = [
      question('multiple-choice', 'aaBBccDDee', {
        choices: [...labels('Tea', 'Milk'), { label: 'Else', other: true }],
      }),
      question('single-choice-grid', 'bbBBccDDee', {
        choices: labels('Good', 'Bad'),
        children: labels('Food', 'Drink'),
      }),
      question('text-response', 'ccBBccDDee', { identifier: 'why' }),
      question('text-response', 'age'),
      question('text-response', '2nd'),
      question('text-response', 'AGE'),
      question('text-response', 'while'),
    ]
    const { id } = await surveyWithQuestions(world, ann, 'Names', page)
    const before = ['q1_1', 'q1_2', 'q1_3', 'q1_other', 'q2_1', 'q2_2', 'why', 'age', 'q5', 'q6', 'q7']
    expect(await namesOf(id)).toEqual(before)
    const { body: structure } = await ann.get(`/api/v3/surveys/${id}/structure/`)
    const [many, grid, why, age, second, AGE, reserved] = structure.form[0].children
    many.choices.reverse()
    grid.children.reverse()
    const added = question('text-response', 'ddBBccDDee')
    await put(id, [{ children: [reserved, AGE, second, added, why, grid, many] }])
    expect(await namesOf(id)).toEqual([
      ...['q7', 'AGE', 'q5', 'q8', 'why', 'q2_2', 'q2_1', 'q1_3', 'q1_2', 'q1_1', 'q1_other'],
    ])
    await put(id, [{ children: [question('text-response', 'eeBBccDDee'), age, reserved] }])
    expect(await namesOf(id)).toEqual(['q9', 'age', 'q7'])
  })

  test('refuses the parameters that have no effect on the file', async () => {
    const { id } = await surveyWithQuestions(world, ann, 'Refused', [])
    for (const name of ['include_labels', 'score_based', 'include_codes', 'show_titles', 'inverted', 'tab_separated']) {
      const { status, body } = await get(id, `&${name}=1`)
      expect([status, body.errors]).toEqual([
        400,
        [expect.objectContaining({ field: name, code: 'mutually_exclusive' })],
      ])
    }
  })
})

describe('exportCsv with include_codes', () => {
  test('writes codes, otherwise positions from 1, and keeps the names of columns', async () => {
    const choices = [{ label: 'Fully', code: 'all' }, { label: 'Partly' }]
    const survey = await surveyWithQuestions(world, ann, 'Codes', [
      { idname: 'single-choice', id: 'one', title: 'One', choices },
      { idname: 'multiple-choice', id: 'many', title: 'Many', choices },
      { idname: 'boolean-choice', id: 'yes', title: 'Yes?' },
    ])
    await storeResponses(world, survey, [
      { answers: { one: 0, many: [0, 1], yes: true } },
      { answers: { one: 1, many: [1], yes: false } },
    ])
    const { text } = await ann.get(`/api/v3/surveys/${survey.id}/csv/?include_codes=1&include_labels=1`)
    expect(table(text).map((row) => row.slice(17))).toEqual([
      ['one', 'many\\0', 'many\\1', 'yes', '_codes'],
      ['all', 'all', '2', '1', ''],
      ['2', '', '2', '0', ''],
    ])
  })
})

describe('exportCsv with include_labels', () => {
  test('ends with the column _labels only if a label is the position of another choice', async () => {
    const choice = (id: string, ...texts: string[]) => ({
      idname: 'single-choice',
      id,
      title: id,
      choices: labels(...texts),
    })
    const header = async (question: object, query: string) => {
      const { id } = await surveyWithQuestions(world, ann, 'Labels', [question])
      return table((await ann.get(`/api/v3/surveys/${id}/csv/${query}`)).text)[0]!.slice(17)
    }
    expect(await header(choice('a', '1', '2'), '?include_labels=1')).toEqual(['a', '_labels'])
    expect(await header(choice('a', '1', '2'), '')).toEqual(['a'])
    expect(await header(choice('a', '1', '2'), '?include_labels=1&show_titles=1')).toEqual(['a'])
    expect(await header(choice('a', 'Good', 'Bad'), '?include_labels=1')).toEqual(['a'])
    expect(await header(choice('a', '0', '1'), '?include_labels=1')).toEqual(['a'])
  })
})
