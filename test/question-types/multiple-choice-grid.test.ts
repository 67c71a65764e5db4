import { describe, expect, it } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const labels = (...texts: string[]) => texts.map((label) => ({ label }))
const grid = (
  rows: object[] = [{ label: 'Phone' }, { label: 'Tablet' }],
  choices: object[] = labels('Home', 'Work'),
) => ({
  idname: 'multiple-choice-grid',
  id: 'use',
  title: 'Where do you use it?',
  choices,
  children: rows,
})

describe('a grid with several choices per row [spec 6.4, 6.7]', () => {
  it('has a `uid` for each column and row in the structure', async () => {
    const { id, owner } = await type.survey([grid()])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0]).toMatchObject({
      idname: 'multiple-choice-grid',
      choices: [{ label: { en: 'Home' }, uid: 0 }, { uid: 1 }],
      children: [{ type: 'multiple', label: { en: 'Phone' }, uid: 0 }, { uid: 1 }],
    })
    expect(await type.errorsOf(grid([], []))).toEqual([
      ['children', 'too_few'],
      ['choices', 'too_few'],
    ])
    expect(await type.errorsOf(grid([{ type: 'single', label: 'A' }]))).toEqual([['children/0/type', 'invalid_value']])
  })

  it('is answered on a phone, with and without scripts, with the keyboard and with an exclusive column', async () => {
    const columns = [...labels('Home', 'Work'), { label: 'Nowhere', exclusive: true }]
    const survey = await type.survey([grid([{ label: 'Phone', required: true }, { label: 'Tablet' }], columns)])
    await type.journey(survey, {
      wrong: async () => {},
      error: 'An answer to this question is required.',
      right: async (page, javaScriptEnabled) => {
        const phone = page.getByRole('row', { name: /Phone/ })
        if (javaScriptEnabled) await phone.getByLabel('Nowhere').check({ force: true })
        await phone.getByLabel('Home').focus()
        await page.keyboard.press('Space')
        await phone.getByLabel('Work').check({ force: true })
        await page
          .getByRole('row', { name: /Tablet/ })
          .getByLabel('Nowhere')
          .check({ force: true })
      },
    })
    const answers = { use_0: [0, 1], use_1: [2] }
    expect(await survey.stored()).toEqual([answers, answers])
  })

  it('accepts indices, labels and single cells through the API, and rejects other values', async () => {
    const survey = await type.survey([grid([{ label: 'Phone', required: true }, { label: 'Tablet' }])])
    expect((await survey.answer({ use_0: ['Work', 0], 'use_1\\1': 1 })).status).toBe(201)
    expect((await survey.answerV2({ use_0: '0,1' })).body).toMatchObject({ success: true })
    expect(await survey.shown()).toEqual([{ use_0: [0, 1], use_1: [1] }, { use_0: [0, 1] }])
    expect(await survey.shown('?include_labels=1&use_1=Work')).toEqual([{ use_0: ['Home', 'Work'], use_1: ['Work'] }])
    expect((await survey.answer({ use_0: [2] })).body).toMatchObject({
      errors: [{ field: 'use_0', code: 'not_a_choice' }],
    })
    expect((await survey.answer({ use: [0] })).body).toMatchObject({
      errors: [{ field: 'use', code: 'not_answerable' }],
    })
    expect((await survey.answerV2({ use_1: [0] })).status).toBe(500)
  })

  it('has a CSV column for each cell, which can be imported', async () => {
    const survey = await type.survey([grid()])
    await survey.answer({ use_0: [1], use_1: [0, 1], _completed: 1 })
    const header = ['use_0\\0', 'use_0\\1', 'use_1\\0', 'use_1\\1']
    expect(await survey.csv()).toEqual([header, ['', '1', '0', '1']])
    expect(await survey.csv('?include_labels=1&show_titles=1')).toEqual([
      ['Phone - Home', 'Phone - Work', 'Tablet - Home', 'Tablet - Work'].map(
        (part) => `Where do you use it? - ${part}`,
      ),
      ['', 'Work', 'Home', 'Work'],
    ])
    const imported = await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: `${header.join(',')}\n0,1,,\n`,
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.status).toBe(200)
    expect((await survey.stored()).at(-1)).toEqual({ use_0: [0, 1] })
  })

  it('has the frequency of each cell in the report', async () => {
    const survey = await type.survey([grid()])
    for (const use_0 of [[0], [0, 1]]) await survey.answer({ use_0 })
    expect(await survey.stats('use')).toMatchObject({
      answered: 2,
      rows: [
        {
          key: 'use_0',
          answered: 2,
          choices: [
            { count: 2, percentage: 100 },
            { count: 1, percentage: 50 },
          ],
        },
        { key: 'use_1', answered: 0, choices: [{ count: 0, percentage: 0 }, { count: 0 }] },
      ],
    })
    expect(await survey.report()).toMatch(/Phone: Home: 100%, 2; Phone: Work: 50%, 1/)
  })

  it('keeps its answers when rows and columns move, and shows a question whose condition these answers meet', async () => {
    const survey = await type.survey([grid()])
    const { body } = await survey.answer({ use_0: [1] })
    const moved = [grid(labels('Tablet', 'Phone'), labels('Work', 'Home'))]
    const condition = { all: [{ question: 'use_1', op: 'contains', value: 0 }] }
    await type.put(survey.id, [...moved, { idname: 'text-response', id: 'why', title: 'Why?', condition }])
    expect(await survey.shown()).toEqual([{ use_1: [0] }])
    const page = await type.world.anonymous.get(new URL(body.url).pathname)
    expect(page.text).toMatch(/aria-labelledby="[^"]*" checked/)
    expect(page.text).not.toMatch(/<fieldset[^>]*data-question="why"[^>]* disabled/)
  })
})
