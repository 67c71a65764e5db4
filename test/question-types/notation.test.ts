import { describe, expect, it, test } from '@jest/globals'
import { HttpBrowser } from '../support/http-browser.ts'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const question = (idname: string, id: string, settings: object = {}) => ({
  idname,
  id,
  title: `Question ${id}`,
  children: [settings],
})
const number = (settings: object = {}) => question('number', 'n', settings)
const text = (kind: string, more: object = {}) => question('text-response', 't', { validation: { kind }, ...more })

const languages = ['en', 'de', 'fr', 'ar', 'hi'].map((code) => ({ code, name: code, isDefault: code === 'en' }))
const twoPages = (first: object[], last: object[]) => ({
  languages,
  form: [{ children: first }, { children: last }],
})

describe('the notation of an answer [spec 7.3]', () => {
  test.each([
    [number({ decimals: 0 }), '50,000', 50_000],
    [number({ decimals: 0 }), '1.500', 1_500],
    [number({ decimals: 2 }), '1.234,56', 1_234.56],
    [number({ decimals: 2 }), "1'234", 1_234],
    [number({ decimals: 3 }), '0,125', 0.125],
    [number({ decimals: 3 }), '1.500', 1.5],
    [question('slider', 's', { min: 0, max: 100_000, step: 1_000 }), '50,000', 50_000],
    [number({ decimals: 0 }), '٣٥', 35],
    [number({ decimals: 0 }), '４２', 42],
    [number({ decimals: 0 }), '\u200b 7 ', 7],
    [text('number'), '1.234.567', '1234567'],
    [text('number'), '3,5', '3.5'],
    [text('integer'), '50,000', '50000'],
    [text('integer'), '１２３', '123'],
    [text('email'), '\u200bann@example.org ', 'ann@example.org'],
    [text('phone'), '\u202a+49 30 123456\u202c', '+49 30 123456'],
    [text('phone'), '030 – 123456', '030 – 123456'],
    [text('phone'), '٠٣٠ ١٢٣٤', '030 1234'],
  ])('is the same for %j and %j in the API, in an import and in a form', async (asked, entered, stored) => {
    const survey = await type.survey([asked])
    const { id } = asked as { id: string }
    expect((await survey.answer({ [id]: entered, _completed: 1 })).status).toBe(201)
    expect((await survey.answerV2({ [id]: entered })).body).toMatchObject({ success: true })
    const csv = `${id}\r\n"${entered}"\r\n`
    const imported = await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.body).toMatchObject({ imported: 1 })
    const form = { _page: '1', _go: 'next', [id]: entered }
    expect((await new HttpBrowser(type.world.base).post(survey.url, form)).status).toBe(303)
    expect(await survey.stored()).toEqual(Array.from({ length: 4 }, () => ({ [id]: stored })))
    expect((await survey.csv()).slice(1)).toEqual(Array.from({ length: 4 }, () => [String(stored)]))
  })

  test.each([
    [number({ decimals: 3 })],
    [text('number')],
    [question('text-response', 't', { validation: { min: 1 } })],
  ])('is ambiguous for %j if a comma stands before three digits', async (asked) => {
    const survey = await type.survey([asked])
    const { id } = asked as { id: string }
    const refused = await survey.answer({ [id]: '1,500' })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toMatchObject([
      { field: id, code: 'ambiguous_number', params: { value: '1,500', decimal: 1.5, grouped: 1500 } },
    ])
    expect((await survey.answerV2({ [id]: '1,500' })).text).toContain('“1,500” can mean 1.5 or 1500')
    const imported = await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: `${id}\r\n"1,500"\r\n`,
      headers: { 'content-type': 'text/csv' },
    })
    expect(imported.body.errors).toMatchObject([{ field: `row 2: ${id}`, code: 'ambiguous_number' }])
    expect(await survey.stored()).toEqual([])
  })

  it('is read and shown in the language of the page, and both readings are named where it has none', async () => {
    const survey = await type.survey(
      [number()],
      twoPages(
        [number({ decimals: 3 }), text('number'), question('datetime', 'd', { format: 'date' })],
        [{ ...question('text-response', 'why'), title: 'Why {{ n }}, {{ t }} on {{ d }}?' }],
      ),
    )
    const page = await type.newPage({ javaScriptEnabled: false })
    const fill = async (language: string, value: string) => {
      // Each time another respondent: the same browser would be asked whether it continues its response.
      await page.context().clearCookies()
      await page.goto(`${survey.url}?lang=${language}`)
      await page.locator('[name="n"]').fill(value)
      await page.locator('[name="t"]').fill(value)
      await page.locator('[name="d"]').fill('2026-03-09')
      await page.locator('button[value="next"]').click()
    }
    await fill('de', '1.500')
    expect(await page.locator('.question-label').innerText()).toBe('Why 1500, 1500 on 9. März 2026?')
    await fill('de', '1,500')
    expect(await page.locator('.question-label').innerText()).toBe('Why 1,5, 1,500 on 9. März 2026?')
    await page.locator('button[value="back"]').click()
    expect(await page.locator('[name="n"]').inputValue()).toBe('1,5')
    expect(await page.locator('[name="t"]').inputValue()).toBe('1,500')
    await page.locator('button[value="next"]').click()
    await fill('en', '1,500')
    expect(await page.locator('.question-label').innerText()).toBe('Why 1500, 1500 on March 9, 2026?')
    await fill('fr', '1.500')
    expect(await page.locator('.question .error').first().innerText()).toContain(
      '« 1.500 » peut signifier 1,5 ou 1500.',
    )
    expect(await survey.stored()).toEqual([
      { n: 1500, t: '1500', d: '2026-03-09' },
      { n: 1.5, t: '1.500', d: '2026-03-09' },
      { n: 1500, t: '1500', d: '2026-03-09' },
      { d: '2026-03-09' },
    ])
  })

  it('of a prefilled number is the same on later pages', async () => {
    const survey = await type.survey([number()], twoPages([question('text-response', 'first')], [text('number')]))
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(`${survey.url}?lang=de&t=1.125`)
    await page.locator('button[value="next"]').click()
    expect(await page.locator('[name="t"]').inputValue()).toBe('1,125')
    await page.locator('button[value="next"]').click()
    expect(await survey.stored()).toEqual([{ t: '1.125' }])
  })

  it('of a date and time keeps its time zone if the page is submitted unchanged', async () => {
    const survey = await type.survey([question('datetime', 'when'), question('text-response', 'why')])
    const { body } = await survey.answer({ when: '2026-03-09T15:09Z', _completed: 0 })
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(`${survey.url}${body.key}/`)
    expect(await page.locator('[name="when"]').inputValue()).toBe('2026-03-09T15:09')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(await survey.stored()).toEqual([{ when: '2026-03-09T15:09Z' }])
  })

  it('of the number of a slider is the same on pages of every language', async () => {
    const survey = await type.survey([question('slider', 's', { min: 0, max: 2, step: 0.125 })], { languages })
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(`${survey.url}?lang=de`)
    await page.locator('[name="s"]').fill('1.125')
    await page.locator('button[value="next"]').click()
    await page.waitForURL(/[0-9a-f]{40}/)
    expect(await survey.stored()).toEqual([{ s: 1.125 }])
  })
})
