import { describe, expect, it, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useQuestionType } from '../support/question-type.ts'
import { submitForm } from '../support/surveys.ts'
import { fieldsIn, openBuilder } from '../web/builder-owner.ts'

const type = useQuestionType()
const budget = (settings: object = {}, ...rows: string[]) => ({
  idname: 'constant-sum',
  id: 'budget',
  title: 'Your budget',
  children: (rows.length > 0 ? rows : ['Rent', 'Food', 'Fun']).map((label) => ({ label })),
  ...settings,
})
interface RowStats {
  answered: number
  mean: number
  numbers: { max: number }
}

const pathOf = ({ url }: { url: string }) => new URL(url).pathname

describe('a constant sum question [spec 6.4]', () => {
  it('keeps its settings, and has a key for each row', async () => {
    const { id, owner } = await type.survey([budget({ total: 12.5, decimals: 1, partial: true, unit: 'h' }, 'Work')])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0]).toMatchObject({
      idname: 'constant-sum',
      total: 12.5,
      decimals: 1,
      partial: true,
      unit: { en: 'h' },
      children: [{ type: 'number', label: { en: 'Work' }, uid: 0 }],
    })
    const { body: questions } = await owner.get(`/api/v3/surveys/${id}/questions/`)
    expect(questions.results[0].rows).toMatchObject([{ key: 'budget_0' }])
  })

  test.each([
    [{ total: 0 }, 'total', 'invalid_type'],
    [{ total: 'all' }, 'total', 'invalid_type'],
    [{ total: 10.5 }, 'total', 'not_an_integer'],
    [{ total: 10.25, decimals: 1 }, 'total', 'too_many_decimals'],
    [{ decimals: 11 }, 'decimals', 'invalid_type'],
    [{ partial: 'yes' }, 'partial', 'invalid_type'],
    [{ children: [] }, 'children', 'too_few'],
    [{ children: [{ type: 'single', label: 'A' }] }, 'children/0/type', 'invalid_value'],
  ])('rejects the settings %j', async (settings, pointer, code) => {
    expect(await type.errorsOf(budget(settings))).toEqual([[pointer, code]])
  })

  it('shows what remains with scripts, and the sum in an error without them', async () => {
    const survey = await type.survey([budget({ unit: 'points' })])
    await type.journey(survey, {
      wrong: async (page, hasScripts) => {
        await page.getByLabel('Rent').fill('60')
        await page.getByLabel('Food').fill('30')
        expect(await page.getByText('Remaining:').count()).toBe(hasScripts ? 1 : 0)
        if (hasScripts) expect(await page.getByText('Remaining:').textContent()).toBe('Remaining: 10')
      },
      error: 'The numbers must add up to 100. They add up to 90.',
      right: async (page, hasScripts) => {
        expect(await page.getByLabel('Rent').inputValue()).toBe('60')
        await page.getByLabel('Food').fill('40')
        if (hasScripts) expect(await page.getByText('Remaining:').textContent()).toBe('Remaining: 0')
      },
    })
    expect(await survey.stored()).toEqual([
      { budget_0: 60, budget_1: 40, budget_2: 0 },
      { budget_0: 60, budget_1: 40, budget_2: 0 },
    ])
  })

  it('counts what remains of decimal numbers as respondents write them', async () => {
    const languages = [{ code: 'de', name: 'Deutsch', isDefault: true }]
    const survey = await type.survey([budget({ total: 1, decimals: 2 })], { languages })
    const page = await type.newPage({})
    await page.goto(survey.url)
    await page.getByLabel('Rent').fill('0,1')
    await page.getByLabel('Food').fill('0,2')
    expect(await page.getByText('Übrig:').textContent()).toBe('Übrig: 0,7')
    await page.getByLabel('Fun').fill('0,8')
    expect(await page.getByText('Übrig:').textContent()).toBe('Übrig: -0,1')
    await page.getByLabel('Fun').fill('0,7')
    await page.getByRole('button', { name: 'Absenden', exact: true }).click()
    await page.getByText('Vielen Dank').first().waitFor()
    expect(await survey.stored()).toEqual([{ budget_0: 0.1, budget_1: 0.2, budget_2: 0.7 }])
  })

  it.each([
    ['nothing', {}, {}, undefined],
    ['nothing, although it is required', { required: true }, {}, 'budget: An answer to this question is required.'],
    ['too little', {}, { budget_0: 60, budget_1: 39 }, 'budget: must add up to 100, but the sum is 99'],
    ['too much', {}, { budget_0: 60, budget_2: 41 }, 'budget: must add up to 100, but the sum is 101'],
    ['a sum of decimals', { total: 1, decimals: 1 }, { budget_0: 0.1, budget_1: 0.2, budget_2: 0.7 }, undefined],
    ['less, if less is accepted', { partial: true }, { budget_0: 5 }, undefined],
    [
      'more, if less is accepted',
      { partial: true },
      { budget_0: 60, budget_1: 60 },
      'budget: must add up to 100 or less, but the sum is 120',
    ],
    [
      'a negative number',
      {},
      { budget_0: -1, budget_1: 101 },
      'budget_0: must be at least 0; budget_1: must be at most 100',
    ],
    ['a fraction', {}, { budget_0: 99.5 }, 'budget_0: must be a whole number'],
    ['no number', {}, { budget_0: 'many', budget_1: 1 }, 'budget_0: must be a number'],
  ])('checks %s in a complete response', async (_, settings, answers, expected) => {
    const survey = await type.survey([budget(settings)])
    const { body } = await survey.answerV2({ ...answers, _completed: 1 })
    expect(body.description?.map((error: string[]) => error.join(': ')).join('; ')).toBe(expected)
  })

  it('is stored as a program sends it through version 3', async () => {
    const survey = await type.survey([budget()])
    for (const answers of [{ budget_0: 60, budget_1: 40 }, { budget_0: 1 }])
      expect((await survey.answer({ ...answers, _completed: 1 })).status).toBe(201)
    expect(await survey.stored()).toEqual([{ budget_0: 60, budget_1: 40, budget_2: 0 }, { budget_0: 1 }])
    const { body } = await survey.answer({ budget: 100 })
    expect(body.errors).toMatchObject([{ field: 'budget', code: 'not_answerable' }])
  })

  it('keeps a draft, and shows it when the respondent continues', async () => {
    const survey = await type.survey([budget()])
    const { anonymous } = type.world
    const first = await anonymous.get(pathOf(survey))
    const saved = await submitForm(anonymous, first, { budget_0: '30', _go: 'later' })
    expect(await survey.stored()).toEqual([{ budget_0: 30 }])
    const again = await anonymous.get(saved.headers.get('location')!.replace('?saved=1', ''))
    expect(again.text).toMatch(/name="budget_0" value="30"/)
    const wrong = await submitForm(anonymous, again, { budget_0: '30', budget_1: '60' })
    expect(unescapeHtml(wrong.text)).toContain('The numbers must add up to 100. They add up to 90.')
    expect(await survey.stored()).toEqual([{ budget_0: 30, budget_1: 60 }])
    expect((await submitForm(anonymous, wrong, { budget_0: '30', budget_1: '70' })).status).toBe(303)
    expect(await survey.stored()).toEqual([{ budget_0: 30, budget_1: 70, budget_2: 0 }])
  })

  it('has a column for each row, with its mean and number of answers in reports, and can be filtered', async () => {
    const survey = await type.survey([budget({ identifier: 'budget_of' })])
    await survey.answerV2({ budget_0: 60, budget_1: 40 })
    await survey.answerV2({ budget_0: 20, budget_1: 30, budget_2: 50 })
    await survey.answerV2({})
    expect(await survey.csv('?show_titles=1')).toEqual([
      ['Your budget - Rent', 'Your budget - Food', 'Your budget - Fun'],
      ['60', '40', '0'],
      ['20', '30', '50'],
      ['', '', ''],
    ])
    const { answered, rows } = await survey.stats('budget')
    expect([answered, ...rows.map(({ answered, mean, numbers }: RowStats) => [answered, mean, numbers.max])]).toEqual([
      2,
      [2, 40, 60],
      [2, 35, 40],
      [2, 25, 50],
    ])
    const report = unescapeHtml(await survey.report())
    expect(report).toMatch(/<th scope="row">Food<\/th><td>35<\/td><td>2<\/td>/)
    expect(await survey.shown('?budget_2>=50')).toEqual([{ budget_0: 20, budget_1: 30, budget_2: 50 }])
    const sav = await survey.owner.get(`/api/v3/surveys/${survey.id}/sav/`)
    expect(sav.status).toBe(200)
  })

  it('is imported from its own export', async () => {
    const survey = await type.survey([budget()])
    await survey.answer({ budget_0: 60, budget_1: 40, _completed: 1 })
    const { text } = await survey.owner.get(`/api/v3/surveys/${survey.id}/csv/`)
    const copy = await type.survey([budget()])
    const { body } = await copy.owner.post(`/api/v2/surveys/${copy.id}/responses/`, {
      body: text,
      headers: { 'content-type': 'text/csv' },
    })
    expect(body).toMatchObject({ imported: 1 })
    expect(await copy.stored()).toEqual([{ budget_0: 60, budget_1: 40, budget_2: 0 }])
  })

  it('is made and changed in the builder', async () => {
    const { browser, root, press, draft, publishAnyway } = await openBuilder(type.world, { title: 'New' })
    await press('add', { page: '0', kind: 'constant-sum' })
    const path = `${root}question/?id=${(await draft()).form[0].children[0].id}`
    const form = await browser.get(path)
    expect(unescapeHtml(form.text)).toContain('Constant sum')
    await browser.post(path, {
      ...fieldsIn(form),
      title: 'Share 10 hours',
      'row.new': 'Work\nSleep',
      total: '10',
      partial: 'on',
      decimals: '1',
      unit: 'hours',
    })
    const [question] = (await draft()).form[0].children
    expect(question).toMatchObject({ total: 10, partial: true, decimals: 1, unit: { en: 'hours' } })
    expect(question.children.map(({ label }: { label: { en: string } }) => label.en)).toEqual([
      'Row 1',
      'Work',
      'Sleep',
    ])
    const wrong = await browser.post(path, { ...fieldsIn(await browser.get(path)), total: '10.25' })
    expect(unescapeHtml(wrong.text)).toContain('must have at most 1 decimal places')
    expect((await publishAnyway()).to).toBe(root)
  })
})
