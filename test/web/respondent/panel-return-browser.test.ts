import { describe, expect, test } from '@jest/globals'
import { addSurvey, pageOf, single } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

/** An address at which nothing listens. */
const PANEL = 'https://127.0.0.1:9/back'

describe('a respondent of a panel in a browser [spec 5.7]', () => {
  test.each([
    ['with JavaScript', true, undefined],
    ['without JavaScript', false, undefined],
    ['with one question at a time', true, 'question'],
  ])('arrives at the panel after the last page, %s', async (_, javaScriptEnabled, layout) => {
    const ann = await world.person()
    const form = [pageOf(single('a', ['Tea', 'Coffee'])), pageOf(single('b', ['Milk', 'Lemon']))]
    const { survey, path } = await addSurvey(ann, { title: 'Tea', form })
    if (layout) await ann.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { layout } })
    const collector = (await ann.get(`/api/v3/surveys/${survey.id}/collectors/`)).body.results[0].id
    const complete = `${PANEL}?id={{ respondent_id }}`
    await ann.put(`/api/v3/collectors/${collector}/panel-return/`, { json: { parameter: 'pid', complete } })
    await ann.post(`/api/v3/collectors/${collector}/panel-return/secret/`)
    const page = await chromium.newPage({ javaScriptEnabled })
    await page.goto(`${world.base}${path}?pid=A%207`)
    await page.getByLabel('Tea', { exact: true }).check()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Milk', { exact: true }).check()
    // A policy of the page that forbids the redirect would stop the browser before the request.
    const request = page.waitForRequest((each) => each.url().startsWith(PANEL))
    await page.getByRole('button', { name: 'Submit' }).click()
    const { pathname, search } = new URL((await request).url())
    expect(pathname + search).toMatch(/^\/back\?id=A%207&signature=[0-9a-f]{64}$/)
  })
})
