import { describe, expect, it, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { useQuestionType } from '../support/question-type.ts'
import { fieldsIn } from '../web/builder-owner.ts'

const type = useQuestionType()
const number = (id: string, settings: object = {}) => ({
  idname: 'number',
  id,
  title: `Number ${id}`,
  children: [settings],
})

describe('a number question [spec 6.4]', () => {
  it('keeps its settings, and returns the unit as an object with a text for each language', async () => {
    const { id, owner } = await type.survey([number('age', { min: 0, max: 120, unit: 'years', required: true })])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0]).toMatchObject({
      idname: 'number',
      children: [{ type: 'number', min: 0, max: 120, unit: { en: 'years' }, required: true }],
    })
    expect(await type.errorsOf({ idname: 'number', min: 5, max: 5, decimals: 10, unit: { fr: 'ans' } })).toEqual([])
  })

  test.each([
    [{ min: 'five' }, 'min', 'invalid_type'],
    [{ min: 6, max: 5 }, 'min', 'too_large'],
    [{ max: 1e16 }, 'max', 'invalid_type'],
    [{ decimals: 11 }, 'decimals', 'invalid_type'],
    [{ decimals: 1.5 }, 'decimals', 'invalid_type'],
    [{ unit: 5 }, 'unit', 'invalid_type'],
    [{ also: 999 }, 'also', 'invalid_type'],
    [{ also: ['999'] }, 'also', 'invalid_type'],
    [{ also: [999, 999] }, 'also', 'invalid_type'],
    [{ also: Array.from({ length: 21 }, (_, index) => index) }, 'also', 'invalid_type'],
  ])('rejects the settings %j', async (settings, member, code) => {
    expect(await type.errorsOf(number('a', settings))).toEqual([[`children/0/${member}`, code]])
    expect(await type.errorsOf({ idname: 'number', ...settings })).toEqual([[member, code]])
  })

  it('is answered on a phone, with and without scripts', async () => {
    const survey = await type.survey([number('age', { min: 18, max: 120, unit: 'years', required: true })])
    await type.journey(survey, {
      wrong: async (page) => {
        const field = page.getByLabel('Number age')
        expect(await field.getAttribute('inputmode')).toBe('numeric')
        expect(await page.locator('.hint').innerText()).toBe('From 18 to 120.')
        await field.fill('7')
      },
      error: 'Enter 18 or more.',
      right: (page) => page.getByLabel('Number age').fill('41'),
    })
    expect(await survey.stored()).toEqual([{ age: 41 }, { age: 41 }])
  })

  describe('with numbers that it accepts outside of its limits', () => {
    const age = number('age', { min: 0, max: 120, also: [999, -1] })

    it('is answered with one of them on a phone, with and without scripts', async () => {
      const survey = await type.survey([age])
      await type.journey(survey, {
        wrong: async (page) => {
          expect(await page.getByLabel('Number age').getAttribute('inputmode')).toBe('text')
          await page.getByLabel('Number age').fill('998')
        },
        error: 'Enter 120 or less.',
        right: (page) => page.getByLabel('Number age').fill('999'),
      })
      expect(await survey.stored()).toEqual([{ age: 999 }, { age: 999 }])
    })

    it('reads them from programs and tables, counts them, and names them in the codebook', async () => {
      const survey = await type.survey([age])
      const { owner, id } = survey
      expect((await survey.answerV2({ age: '-1' })).status).toBe(200)
      expect((await survey.answerV2({ age: -2 })).body).toMatchObject({ code: 'survey_error' })
      const rows = 'age,_completed\n999,1\n40,1\n'
      const imported = await owner.post(`/api/v2/surveys/${id}/responses/`, {
        body: Buffer.from(rows),
        headers: { 'content-type': 'text/csv' },
      })
      expect(imported).toMatchObject({ status: 200, body: { imported: 2 } })
      expect(await survey.shown()).toEqual([{ age: -1 }, { age: 999 }, { age: 40 }])
      expect((await survey.stats('age')).numbers).toMatchObject({ count: 3, min: -1, max: 999 })
      const codebook = await owner.get(`/api/v3/surveys/${id}/codebook/`)
      expect(codebook.text).toContain('age,Number age,number,scale,no answer,999,> 120,age,age\r\n')
      expect(codebook.text).toContain('age,Number age,number,scale,no answer,-1,< 0,age,age\r\n')
      const spss = await owner.get(`/api/v3/surveys/${id}/codebook/?format=spss`)
      expect(spss.text).toMatch(/999 '> 120'/)
    })

    it('has them in the form of the builder', async () => {
      const { id, owner } = await type.survey([age])
      const browser = await signInAs(owner)
      const path = `/account/surveys/${id}/edit/question/?id=age`
      const page = await browser.get(path)
      const fields = fieldsIn(page)
      expect(fields.also).toBe('999 -1')
      await browser.post(path, { ...fields, also: '98; 99,5' })
      const { body } = await owner.get(`/api/v3/surveys/${id}/draft/`)
      expect(body.structure.form[0].children[0].children[0]).toMatchObject({ also: [98, 99.5] })
      const wrong = await browser.post(path, { ...fields, also: 'none' })
      expect(wrong.status).toBe(422)
    })
  })

  it('shows the unit after the answer on the page of a response', async () => {
    const { id, owner, answer } = await type.survey([number('age', { unit: 'years' })])
    const { body } = await answer({ age: 41 })
    const browser = await signInAs(owner)
    const { text } = await browser.get(`/account/surveys/${id}/responses/${body._id ?? body.id}/`)
    expect(text).toContain('<p class="answer-text">41 years</p>')
  })

  it('accepts a decimal comma and reports errors in the language of the respondent', async () => {
    const survey = await type.survey([number('a', { decimals: 2 })], {
      languages: [
        { code: 'en', name: 'English', isDefault: true },
        { code: 'de', name: 'Deutsch', isDefault: false },
      ],
    })
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(`${survey.url}?lang=de`)
    for (const [value, error] of [
      ['viel', 'eine Zahl'],
      ['1,234', 'höchstens 2 Nachkommastellen'],
      ['12345678901234567890', 'höchstens 15 Ziffern'],
    ] as const) {
      await page.getByLabel('Number a').fill(value)
      await page.getByRole('button', { name: 'Absenden' }).click()
      expect(await page.locator('.question .error').innerText()).toContain(error)
      expect(await page.getByLabel('Number a').inputValue()).toBe(value)
    }
    await page.getByLabel('Number a').fill('-1,25')
    await page.getByRole('button', { name: 'Absenden' }).click()
    expect(await survey.stored()).toEqual([{ a: -1.25 }])
  })

  it('accepts numbers and numeric texts through the API, and returns numbers', async () => {
    const survey = await type.survey([number('a', { min: -5, decimals: 1 }), number('b')])
    expect((await survey.answer({ a: 2.5, b: '7' })).status).toBe(201)
    expect((await survey.answerV2({ a: '-3', b: '' })).body).toMatchObject({ success: true })
    expect(await survey.shown()).toEqual([{ a: 2.5, b: 7 }, { a: -3 }])
    expect(await survey.shown('?include_labels=1')).toEqual([{ a: 2.5, b: 7 }, { a: -3 }])
    for (const value of ['ten', true, [1, 2], '1e3', 'NaN'])
      expect((await survey.answer({ a: value })).body).toMatchObject({
        errors: [{ field: 'a', code: Array.isArray(value) ? 'single_answer' : 'not_a_number' }],
      })
    expect((await survey.answer({ a: 0.1234567890123456 })).body.errors).toMatchObject([{ code: 'too_many_digits' }])
    const refused = await survey.answerV2({ a: '-6', b: '1.5' })
    expect(refused.status).toBe(500)
    expect(refused.text).toContain('must be at least -5')
    expect(refused.text).toContain('must be a whole number')
  })

  it('has one CSV column, which can be imported', async () => {
    const survey = await type.survey([number('a', { decimals: 2 })])
    await survey.answer({ a: -1.5 })
    await survey.answer({ a: 20, _completed: 1 })
    expect(await survey.csv()).toEqual([['a'], ['-1.5'], ['20']])
    expect(await survey.csv('?formula_guard=1&score_based=1')).toEqual([['a'], ['-1.5'], ['20']])
    await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: 'a\n3.75\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect((await survey.stored()).at(-1)).toEqual({ a: 3.75 })
  })

  it('has mean, median and distribution in the report, and can be filtered by comparison', async () => {
    const survey = await type.survey([number('age'), number('none')])
    for (const age of [18, 20, 41]) await survey.answer({ age })
    expect(await survey.stats('age')).toMatchObject({
      type: 'number',
      answered: 3,
      mean: expect.closeTo(26.333),
      median: 20,
      numbers: { count: 3, min: 18, max: 41, bins: expect.arrayContaining([{ from: 40, below: 42, count: 1 }]) },
    })
    expect(await survey.stats('none')).toMatchObject({ answered: 0, mean: null, median: null })
    expect(await survey.report()).toContain('mean 26.33, median 20, range 18 to 41')
    expect(await survey.shown('?age>=20')).toEqual([{ age: 20 }, { age: 41 }])
    expect(await survey.shown('?age=20.0')).toEqual([{ age: 20 }])
    expect((await survey.owner.get(`/api/v3/surveys/${survey.id}/responses/?age=old`)).body).toMatchObject({
      errors: [{ field: 'age', code: 'invalid_filter' }],
    })
  })

  it('can be used in conditions and inserted into texts, and is listed in the variables of the survey', async () => {
    const survey = await type.survey([
      number('age', { min: -10 }),
      {
        idname: 'text-response',
        id: 'why',
        title: 'Why {{ age }}?',
        condition: { all: [{ question: 'age', op: 'lt', value: -1 }] },
      },
    ])
    const { body } = await survey.answer({ age: -2 })
    const page = await type.world.anonymous.get(new URL(body.url).pathname)
    expect(page.text).toContain('Why -2?')
    expect(page.text).not.toMatch(/data-question="why"[^>]* disabled/)
    const { body: details } = await survey.owner.get(`/api/v2/surveys/${survey.id}/`)
    expect(details.variables.age).toEqual({ type: 'number', label: 'Number age' })
  })
})
