import { describe, expect, it, test } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const rating = (settings: object = {}) => ({
  idname: 'rating',
  id: 'stars',
  title: 'How was it?',
  children: [settings],
})

describe('a rating question [spec 6.4]', () => {
  it('keeps its number of stars and the labels of its ends', async () => {
    const { id, owner } = await type.survey([rating({ steps: 7, leftLabel: 'Poor', rightLabel: { en: 'Great' } })])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0].children).toEqual([
      { type: 'rating', steps: 7, leftLabel: { en: 'Poor' }, rightLabel: { en: 'Great' } },
    ])
    const { body: questions } = await owner.get(`/api/v3/surveys/${id}/questions/`)
    expect(questions.results[0]).toMatchObject({
      type: 'rating',
      choices: [1, 2, 3, 4, 5, 6, 7].map((index) => ({ index })),
    })
  })

  test.each([2, 11, 4.5, '5'])('rejects %p as the number of stars', async (steps) => {
    expect(await type.errorsOf(rating({ steps }))).toEqual([['children/0/steps', 'invalid_type']])
  })

  it('is answered on a phone, with and without scripts and with the keyboard', async () => {
    const survey = await type.survey([rating({ steps: 10, required: true, leftLabel: 'Poor', rightLabel: 'Great' })])
    await type.journey(survey, {
      wrong: async () => {},
      error: 'An answer to this question is required.',
      right: async (page, javaScriptEnabled) => {
        expect(await page.getByRole('radio', { name: '1 of 10 (Poor)' }).count()).toBe(1)
        expect(await page.getByRole('radio', { name: '10 of 10 (Great)' }).count()).toBe(1)
        if (!javaScriptEnabled) return page.locator('.star').nth(3).click()
        await page.getByRole('radio', { name: '5 of 10' }).focus()
        await page.keyboard.press('ArrowLeft')
      },
    })
    expect(await survey.stored()).toEqual([{ stars: 4 }, { stars: 4 }])
  })

  it('accepts only its values through both versions of the API', async () => {
    const survey = await type.survey([rating()])
    expect((await survey.answer({ stars: 5 })).status).toBe(201)
    expect((await survey.answerV2({ stars: '1' })).body).toMatchObject({ success: true })
    expect(await survey.shown('?include_labels=1')).toEqual([{ stars: 5 }, { stars: 1 }])
    for (const stars of [0, 6, 2.5, -1, 'five', true])
      expect((await survey.answer({ stars })).body).toMatchObject({
        errors: [{ field: 'stars', code: 'not_a_choice' }],
      })
    expect((await survey.answerV2({ stars: 6 })).status).toBe(500)
  })

  it('has one CSV column, which can be imported, and counts towards the score', async () => {
    const survey = await type.survey([rating()])
    await survey.answer({ stars: 4, _completed: 1 })
    for (const query of ['', '?include_labels=1', '?score_based=1'])
      expect(await survey.csv(query)).toEqual([['stars'], ['4']])
    await survey.owner.post(`/api/v2/surveys/${survey.id}/responses/`, {
      body: 'stars\n5\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(await survey.stored()).toEqual([{ stars: 4 }, { stars: 5 }])
    const { body } = await survey.owner.get(`/api/v3/surveys/${survey.id}/responses/`)
    expect(body.results).toMatchObject([{ _weighted_score: 4 }, { _weighted_score: 5 }])
  })

  it('has the frequency of each value, mean and median in the report, without a net promoter score', async () => {
    const survey = await type.survey([rating({ steps: 3 })])
    for (const stars of [1, 3, 3, 3]) await survey.answer({ stars })
    const stats = await survey.stats('stars')
    expect(stats).toMatchObject({
      mean: 2.5,
      median: 3,
      choices: [
        { index: 1, count: 1, percentage: 25 },
        { index: 2, count: 0, percentage: 0 },
        { index: 3, count: 3, percentage: 75 },
      ],
    })
    expect(stats).not.toHaveProperty('nps')
    expect(await survey.report()).toContain('4 answers · mean 2.5, median 3')
    expect(await survey.shown('?stars>2')).toHaveLength(3)
    expect(await survey.shown('?stars=1')).toEqual([{ stars: 1 }])
  })

  it('keeps and reports higher ratings when the number of its stars is reduced', async () => {
    const survey = await type.survey([rating({ steps: 10 })])
    await survey.answer({ stars: 9 })
    await survey.answer({ stars: 2 })
    expect((await type.put(survey.id, [rating({ steps: 5 })])).status).toBe(200)
    expect(await survey.shown()).toEqual([{ stars: 9 }, { stars: 2 }])
    expect(await survey.csv()).toEqual([['stars'], ['9'], ['2']])
    expect(await survey.stats('stars')).toMatchObject({
      answered: 2,
      removed_choices: [{ label: { en: '9' }, count: 1, percentage: 50 }],
    })
    expect((await survey.answer({ stars: 9 })).status).toBe(400)
  })
})
