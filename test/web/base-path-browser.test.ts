import { expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { png } from '../support/images.ts'
import { addSurvey, pageOf } from '../support/surveys.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const BASE = '/feedback'
const world = useWorld({ basePath: BASE })
const chromium = useChromium()
const outside: string[] = []

/** Opens a page, and remembers requests of the browser for addresses outside the path. */
async function newPage(): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width: 1280, height: 900 } })
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin === world.base && !pathname.startsWith(`${BASE}/`)) outside.push(request.url())
  })
  return page
}

it('a service below a path works in a browser: builder, pictures, survey, upload', async () => {
  const ann = await world.person()
  const { survey } = await addSurvey(ann, {
    title: 'Cups',
    form: [
      pageOf(
        {
          idname: 'image-choice',
          id: 'cup',
          title: 'Which cup?',
          children: [{ choices: [{ label: 'Green' }, { label: 'Blue' }] }],
        },
        { idname: 'file-upload', id: 'photo', title: 'A photo', children: [{ fileTypes: ['image'] }] },
      ),
    ],
  })
  const page = await newPage()
  await page.goto(`${world.base}${BASE}/account/surveys/${survey.id}/edit/`)
  await signInOn(page, ann)
  await page.getByRole('link', { name: 'Which cup?', exact: true }).click()
  await page.getByLabel('Question', { exact: true }).fill('Which of the cups?')
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(page, 'Add image choice 1')])
  const [picture] = await Promise.all([
    page.waitForResponse(/\/feedback\/images\//),
    chooser.setFiles({ name: 'cup.png', mimeType: 'image/png', buffer: png(60, 40) }),
  ])
  expect(picture.status()).toBe(200)
  await page.locator('[name="choice.0.alt"]').fill('A green cup')
  await page.getByText('Saved to the draft').waitFor()
  await press(page, 'Done')
  await press(page, 'Publish')
  await page.getByText('Version 2 published').first().waitFor()

  await page.goto(`${world.base}${BASE}/account/surveys/${survey.id}/`)
  const respondent = await newPage()
  await respondent.goto((await page.getByRole('link', { name: 'View survey' }).getAttribute('href'))!)
  await respondent.getByRole('img', { name: 'A green cup' }).waitFor()
  await respondent.getByText('Green', { exact: true }).click()
  const file = { name: 'photo.png', mimeType: 'image/png', buffer: png(20, 20) }
  const [upload] = await Promise.all([
    respondent.waitForResponse((reply) => reply.request().method() === 'POST'),
    respondent.locator('input[type=file]').setInputFiles(file),
  ])
  expect(await upload.json()).toMatchObject({ files: [{ name: 'photo.png' }] })
  await respondent.getByRole('button', { name: /Remove/ }).waitFor()
  await press(respondent, 'Submit')
  await respondent.getByRole('heading', { name: 'Thank you!' }).waitFor()

  await page.getByRole('link', { name: 'Responses', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Responses', level: 1 }).waitFor()
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name, path }) => [name, path]).toSorted()).toEqual(
    ['device', 'session', 'time_zone'].map((name) => [name, `${BASE}/`]),
  )
  expect(outside).toEqual([])
}, 120_000)
