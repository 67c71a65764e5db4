import { describe, expect, it, test } from '@jest/globals'
import { useQuestionType } from '../support/question-type.ts'

const type = useQuestionType()
const image = (name: string) => ({ url: `https://images.example.org/${name}.jpg`, alt: `A ${name} cup` })
const cups = (settings: object = {}) => ({
  idname: 'image-choice',
  id: 'cup',
  title: 'Which cup?',
  children: [
    {
      choices: [{ label: 'Green', image: image('green') }, { label: 'Blue', image: image('blue') }, { label: 'None' }],
      ...settings,
    },
  ],
})

describe('an image choice question [spec 6.4]', () => {
  it('keeps the images of its choices, and returns their descriptions in all languages or in one language', async () => {
    const { id, owner } = await type.survey([cups({ multiple: true })])
    const { body } = await owner.get(`/api/v3/surveys/${id}/structure/`)
    expect(body.form[0].children[0].children[0]).toMatchObject({
      type: 'image',
      multiple: true,
      choices: [
        { image: { url: image('green').url, alt: { en: 'A green cup' } }, uid: 0 },
        {},
        { label: { en: 'None' } },
      ],
    })
    const { body: questions } = await owner.get(`/api/v3/surveys/${id}/questions/?language=en`)
    expect(questions.results[0].choices).toMatchObject([{ image: image('green') }, { image: image('blue') }, {}])
  })

  test.each([
    [{ url: 'http://images.example.org/a.jpg', alt: 'A' }, 'url', 'invalid_url'],
    [{ url: 'javascript:alert(1)', alt: 'A' }, 'url', 'invalid_url'],
    [{ url: `https://e.org/${'x'.repeat(2000)}`, alt: 'A' }, 'url', 'invalid_url'],
    [{ alt: 'A' }, 'url', 'invalid_url'],
    [{ url: 'https://images.example.org/a.jpg', alt: ' ' }, 'alt', 'required'],
    [{ url: 'https://images.example.org/a.jpg', alt: { en: 5 } }, 'alt/en', 'invalid_type'],
    ['a.jpg', '', 'invalid_type'],
  ])('rejects the image %j', async (wrong, member, code) => {
    const at = `children/0/choices/0/image${member && `/${member}`}`
    expect(await type.errorsOf(cups({ choices: [{ label: 'A', image: wrong }] }))).toEqual([[at, code]])
  })

  it('is answered on a phone with one image, with and without scripts', async () => {
    const survey = await type.survey([cups({ required: true })])
    await type.journey(survey, {
      wrong: async (page) => {
        const picture = page.getByRole('img', { name: 'A green cup' })
        expect(await picture.getAttribute('referrerpolicy')).toBe('no-referrer')
        expect(await page.getByRole('radio', { name: 'A green cup Green' }).count()).toBe(1)
      },
      error: 'An answer to this question is required.',
      right: (page) => page.getByText('Blue', { exact: true }).click(),
    })
    expect(await survey.stored()).toEqual([{ cup: 1 }, { cup: 1 }])
  })

  it('is answered on a phone with several images', async () => {
    const survey = await type.survey([cups({ multiple: true, maxSelected: 2 })])
    await type.journey(survey, {
      wrong: async (page) => {
        expect(await page.locator('.hint').innerText()).toBe('Choose up to 2.')
        for (const box of await page.getByRole('checkbox').all()) await box.check({ force: true })
      },
      error: 'Choose at most 2.',
      right: (page) => page.getByRole('checkbox', { name: 'None' }).uncheck({ force: true }),
    })
    expect(await survey.stored()).toEqual([{ cup: [0, 1] }, { cup: [0, 1] }])
  })

  it('is answered through the API, exported, reported and filtered like other choices', async () => {
    const [one, several] = [await type.survey([cups()]), await type.survey([cups({ multiple: true })])]
    expect((await one.answer({ cup: 'Blue' })).status).toBe(201)
    expect((await one.answerV2({ cup: 0 })).body).toMatchObject({ success: true })
    expect((await one.answer({ cup: [0, 1] })).body).toMatchObject({ errors: [{ code: 'single_answer' }] })
    expect((await several.answer({ cup: ['Green', 'None'] })).status).toBe(201)
    expect((await several.answer({ cup: [3] })).body).toMatchObject({ errors: [{ code: 'not_a_choice' }] })
    expect(await one.shown()).toEqual([{ cup: 1 }, { cup: 0 }])
    expect(await one.shown('?cup=Green')).toEqual([{ cup: 0 }])
    expect(await several.shown('?include_labels=1')).toEqual([{ cup: ['Green', 'None'] }])
    expect(await one.csv('?include_labels=1')).toEqual([['cup'], ['Blue'], ['Green']])
    expect(await several.csv()).toEqual([
      ['cup\\0', 'cup\\1', 'cup\\2'],
      ['0', '', '2'],
    ])
    expect(await one.stats('cup')).toMatchObject({ answered: 2, choices: [{ count: 1 }, { count: 1 }, { count: 0 }] })
    expect(await several.stats('cup')).toMatchObject({
      answered: 1,
      choices: [{ count: 1 }, { count: 0 }, { count: 1 }],
    })
    expect(await one.report()).toContain('Green: 50%, 1; Blue: 50%, 1')
  })
})
