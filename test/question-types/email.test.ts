import { describe, expect, it } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const email = { idname: 'email', id: 'mail', title: 'Your email', children: [{ required: true }] }

describe('an email question [spec 6.4]', () => {
  it('has an option of the type `email` in the structure, even if the request contained none', async () => {
    const { id, owner } = await type.survey([{ idname: 'email', id: 'mail', title: 'Your email' }])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0]).toMatchObject({ idname: 'email', children: [{ type: 'email' }] })
    expect(await type.errorsOf({ ...email, children: [{ type: 'text' }] })).toEqual([
      ['children/0/type', 'invalid_value'],
    ])
  })

  it('is answered on a phone, with and without scripts', async () => {
    const survey = await type.survey([email])
    await type.journey(survey, {
      wrong: async (page) => {
        const field = page.getByLabel('Your email')
        expect([await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual(['email', 'email'])
        await field.fill('ada@example')
      },
      error: 'Enter an email address',
      right: (page) => page.getByLabel('Your email').fill('ada@example.org'),
    })
    expect(await survey.stored()).toEqual([{ mail: 'ada@example.org' }, { mail: 'ada@example.org' }])
  })

  it('is validated by version 2 of the API, and exported, reported and filtered as a text', async () => {
    const survey = await type.survey([email])
    const refused = await survey.answerV2({ mail: 'nobody' })
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('must be an email address')])
    expect((await survey.answerV2({ mail: 'ada@example.org' })).body).toMatchObject({ success: true })
    expect((await survey.answer({ mail: 'bob@example.org' })).status).toBe(201)
    expect(await survey.csv()).toEqual([['mail'], ['ada@example.org'], ['bob@example.org']])
    expect(await survey.stats('mail')).toMatchObject({
      type: 'email',
      answered: 2,
      recent_answers: [{ value: 'bob@example.org' }, { value: 'ada@example.org' }],
    })
    expect(await survey.report()).toContain('ada@example.org')
    expect(await survey.shown('?mail~ADA')).toEqual([{ mail: 'ada@example.org' }])
  })
})
