import { describe, expect, it } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { pathOf, picture, useUploads } from '../support/uploads.ts'

const { type, stored, submit } = useUploads()
const signature = (settings: object = {}) => ({
  idname: 'signature',
  id: 'sign',
  title: 'Signature',
  children: [{ required: true, ...settings }],
})
const IMAGE = 'sign\\image'

describe('a signature question [spec 6.4]', () => {
  it('is typed and drawn on a phone with scripts, and typed without them', async () => {
    const survey = await type.survey([signature()])
    await type.journey(survey, {
      wrong: async () => {},
      error: 'An answer to this question is required.',
      right: async (page, hasScripts) => {
        await page.getByLabel('Full name').fill('Ada Lovelace')
        if (!hasScripts) return
        const pad = (await page.locator('canvas').boundingBox())!
        await page.mouse.move(pad.x + 20, pad.y + 20)
        await page.mouse.down()
        await page.mouse.move(pad.x + 150, pad.y + 90, { steps: 4 })
        await page.mouse.up()
        await page.getByText('Your signature has been drawn.').waitFor()
      },
    })
    const [drawn, typed] = await survey.stored()
    expect(drawn).toEqual({ sign: 'Ada Lovelace', [IMAGE]: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(typed).toEqual({ sign: 'Ada Lovelace' })
    expect(await stored(survey)).toEqual([
      { name: 'signature.png', bytes: expect.anything(), response_id: expect.anything() },
    ])
  })

  it('stores no drawing after it has been cleared, and does not require a drawing', async () => {
    const survey = await type.survey([signature({ required: false })])
    const page = await type.newPage({})
    await page.goto(survey.url)
    const canvas = page.locator('canvas')
    await canvas.click()
    await page.getByRole('button', { name: 'Clear the drawing' }).press('Enter')
    await page.getByText('The drawing has been cleared.').waitFor()
    expect(await page.getByRole('button', { name: 'Clear the drawing' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect([await survey.stored(), await stored(survey)]).toEqual([[{}], []])
  })

  it('keeps a picture when a page is rejected, and accepts images only', async () => {
    const survey = await type.survey([signature()])
    const first = await type.world.anonymous.get(pathOf(survey))
    const field = `${IMAGE}\\file`
    const text = new File(['a text'], 'name.txt', { type: 'text/plain' })
    const wrong = await submit(first, { sign: 'Ada', [field]: text })
    expect(wrong.text).toContain('The file name.txt has a type that is not accepted.')
    const rejected = await submit(wrong, { sign: '', [field]: picture('mine.png') })
    const key = /value="([0-9a-f]{32})" checked/.exec(rejected.text)![1]!
    await submit(rejected, { sign: 'Ada', [IMAGE]: key })
    expect(await survey.stored()).toEqual([{ sign: 'Ada', [IMAGE]: key }])
  })

  it('accepts an answer with an image through the API, and shows it in exports, reports and the page of the response', async () => {
    const survey = await type.survey([signature()])
    const { owner, id } = survey
    const { body: questions } = await owner.get(`/api/v3/surveys/${id}/questions/`)
    expect(questions.results[0].keys).toEqual(['sign', IMAGE])
    const { body: file } = await owner.post(`/api/v3/surveys/${id}/files/?question=sign&name=sign.png`, {
      body: new Uint8Array(await picture().arrayBuffer()),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const { body: response } = await survey.answer({ sign: 'Ada Lovelace', [IMAGE]: file.key, _completed: 1 })
    expect((await survey.answerV2({ [IMAGE]: '' })).status).toBe(500)
    expect((await survey.answer({ sign: 'Eve', [IMAGE]: file.key })).body.errors).toMatchObject([
      { field: IMAGE, code: 'file_not_found' },
    ])
    const address = `${type.world.base}/api/v3/surveys/${id}/responses/${response.id}/files/${file.key}/`
    expect(await survey.shown('?sign=Ada Lovelace')).toEqual([{ sign: 'Ada Lovelace', [IMAGE]: address }])
    const page = `/account/surveys/${id}/files/${file.key}/`
    expect(await survey.csv('?show_titles=1')).toEqual([
      ['Signature', 'Signature - image'],
      ['Ada Lovelace', `${type.world.base}${page}`],
    ])
    expect(await survey.stats('sign')).toMatchObject({ answered: 1, recent_answers: [{ value: 'Ada Lovelace' }] })
    expect(await survey.report()).toContain('Ada Lovelace')
    const browser = await signInAs(owner)
    const shown = (await browser.get(`/account/surveys/${id}/responses/${response.id}/`)).text
    expect(shown).toContain(`<p class="answer-text">Ada Lovelace</p><ul class="files"><li><a href="${page}" download>`)
    expect((await browser.get(`/account/surveys/${id}/responses/`)).text).toContain('Ada Lovelace, 1 file')
    await owner.delete(`/api/v3/surveys/${id}/responses/${response.id}/`)
    await owner.delete(`/api/v3/surveys/${id}/responses/trash/`)
    expect(await stored(survey)).toEqual([])
  })

  it('can occur 12 times on a page, although one question accepts at most 10 files', async () => {
    const survey = await type.survey(
      Array.from({ length: 12 }, (_, n) => ({ ...signature({ required: n === 0 }), id: `sign${n}` })),
    )
    const page = await type.newPage({ javaScriptEnabled: false })
    await page.goto(survey.url)
    await page.getByLabel('Full name').first().fill('Ada')
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(await survey.stored()).toEqual([{ sign0: 'Ada' }])
  })

  it('cannot be prefilled by a link', async () => {
    const survey = await type.survey([signature()])
    expect((await type.world.anonymous.get(`${pathOf(survey)}?sign=Eve`)).text).not.toContain('value="Eve"')
  })
})
