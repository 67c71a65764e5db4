import { describe, expect, it, test } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const slider = (settings: object = {}) => ({ idname: 'slider', id: 'pain', title: 'How much?', children: [settings] })

describe('a slider question [spec 6.4]', () => {
  it('keeps its settings', async () => {
    const settings = { min: -1, max: 1, step: 0.1, unit: 'V', leftLabel: 'None', rightLabel: 'Much', required: true }
    const { id, owner } = await type.survey([slider(settings)])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0].children).toEqual([
      { type: 'slider', ...settings, unit: { en: 'V' }, leftLabel: { en: 'None' }, rightLabel: { en: 'Much' } },
    ])
  })

  test.each([
    [{ min: 100 }, 'min', 'too_large'],
    [{ max: 0 }, 'min', 'too_large'],
    [{ step: 0 }, 'step', 'invalid_type'],
    [{ step: 101 }, 'step', 'too_large'],
    [{ step: 0.001 }, 'step', 'too_small'],
  ])('rejects the settings %j', async (settings, member, code) => {
    const [[pointer, found] = []] = await type.errorsOf(slider(settings))
    expect([pointer, found]).toEqual([expect.stringMatching(new RegExp(`(^|/)${member}$`)), code])
  })

  it('is answered with the slider, or without scripts with the field', async () => {
    const survey = await type.survey([slider({ min: 0, max: 10, step: 2, required: true, leftLabel: 'No pain' })])
    await type.journey(survey, {
      wrong: async (page, javaScriptEnabled) => {
        if (javaScriptEnabled) expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toBe('–')
        else expect(await page.getByRole('slider').count()).toBe(0)
        expect(await page.getByRole('spinbutton').inputValue()).toBe('')
        await page.getByRole('spinbutton').fill('7')
      },
      error: 'Enter 6 or 8.',
      right: async (page, javaScriptEnabled) => {
        if (!javaScriptEnabled) return page.getByRole('spinbutton').fill('8')
        await page.getByRole('slider').focus()
        await page.keyboard.press('End')
        expect(await page.getByRole('spinbutton').inputValue()).toBe('10')
        await page.keyboard.press('ArrowLeft')
      },
    })
    expect(await survey.stored()).toEqual([{ pain: 8 }, { pain: 8 }])
  })

  it('keeps its number while the respondent scrolls the page over the field', async () => {
    const survey = await type.survey([slider({ min: 0, max: 100 })])
    const page = await type.newPage({ viewport: { width: 320, height: 300 } })
    await page.goto(survey.url)
    const field = page.getByRole('spinbutton')
    await field.fill('40')
    await field.hover()
    for (const delta of [120, 120, -120]) await page.mouse.wheel(0, delta)
    await page.waitForTimeout(200)
    expect(await field.inputValue()).toBe('40')
  })

  it('stays unanswered if the respondent does not touch it', async () => {
    const survey = await type.survey([slider()])
    await type.journey(survey, { right: async () => {} })
    expect(await survey.stored()).toEqual([{}, {}])
  })

  it('accepts its values through the API and has a column, mean, median and distribution', async () => {
    const survey = await type.survey([slider({ min: 0, max: 1, step: 0.1 })])
    for (const pain of [0.1, '0.3', 0.7])
      expect((await survey.answerV2({ pain })).body).toMatchObject({ success: true })
    const refused = await survey.answerV2({ pain: 0.15 })
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('must be 0.1 or 0.2')])
    expect((await survey.answerV2({ pain: 1.1 })).text).toContain('must be at most 1')
    expect((await survey.answer({ pain: 'much' })).body).toMatchObject({ errors: [{ code: 'not_a_number' }] })
    expect(await survey.shown()).toEqual([{ pain: 0.1 }, { pain: 0.3 }, { pain: 0.7 }])
    expect(await survey.csv()).toEqual([['pain'], ['0.1'], ['0.3'], ['0.7']])
    expect(await survey.stats('pain')).toMatchObject({ median: 0.3, numbers: { count: 3, min: 0.1, max: 0.7 } })
    expect(await survey.report()).toContain('median 0.3, range 0.1 to 0.7')
    expect(await survey.shown('?pain<0.3')).toEqual([{ pain: 0.1 }])
  })
})
