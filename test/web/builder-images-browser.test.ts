import { describe, expect, it } from '@jest/globals'
import { png, withImage } from '../support/images.ts'
import { addSurvey } from '../support/surveys.ts'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
const picture = (width: number) => ({ name: 'cup.png', mimeType: 'image/png', buffer: png(width, 40) })
const structure = {
  title: 'Cups',
  form: [
    {
      children: [
        {
          idname: 'image-choice',
          id: 'cup',
          title: 'Which cup?',
          children: [{ choices: [{ label: 'Green' }, { label: 'Blue' }] }],
        },
      ],
    },
  ],
}

/** Returns the width of an image in pixels. @throws if the browser cannot decode it */
const decodedWidth = async (element: unknown): Promise<number> => {
  const image = element as { decode(): Promise<void>; naturalWidth: number }
  await image.decode()
  return image.naturalWidth
}

/** Opens the builder, and then the form of the question inside it. */
async function openCard() {
  const person = await world.person()
  const { survey, path } = await addSurvey(person, structure)
  const page = await chromium.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${world.base}/account/surveys/${survey.id}/edit/`)
  await signInOn(page, person)
  await page.getByRole('link', { name: 'Which cup?', exact: true }).click()
  await page.getByLabel('Question', { exact: true }).waitFor()
  const add = async (choice: number, file: { name: string; mimeType: string; buffer: Buffer }) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(page, `Add image choice ${choice}`)])
    await chooser.setFiles(file)
  }
  return { page, person, survey, add, address: world.base + path }
}

describe('the image of a choice in the builder', () => {
  it('is uploaded in place, described and published, and respondents see it', async () => {
    const { page, add, address } = await openCard()
    await add(1, picture(60))
    await page.getByText('Image uploaded. Describe it below.').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('choice.0.alt')
    await press(page, 'Done')
    await page.getByText('describe the image of choice 1').first().waitFor()
    await page.locator('[name="choice.0.alt"]').fill('A green cup')
    await page.getByText('Saved to the draft').waitFor()
    await press(page, 'Done')
    await press(page, 'Publish')
    await page.getByText('Version 2 published').first().waitFor()
    for (const javaScriptEnabled of [true, false]) {
      const taking = await chromium.newPage({ javaScriptEnabled, viewport: { width: 360, height: 640 } })
      const [loaded] = await Promise.all([taking.waitForResponse(/\/images\//), taking.goto(address)])
      expect(loaded.status()).toBe(200)
      const image = taking.getByRole('img', { name: 'A green cup' })
      await image.waitFor()
      if (javaScriptEnabled) expect(await image.evaluate(decodedWidth)).toBe(60)
      await taking.getByText('Green', { exact: true }).click()
      await press(taking, 'Submit')
      await taking.getByRole('heading', { name: 'Thank you!' }).waitFor()
    }
  })

  it('stays the same after a rejected file and a lost connection, and can be removed', async () => {
    const { page, add, person, survey } = await openCard()
    await page.locator('[name="choice.1.alt"]').fill('A blue cup')
    await add(2, picture(61))
    await page.getByText('Image uploaded.', { exact: true }).waitFor()
    const url = await page.locator('[name="choice.1.image"]').inputValue()
    await add(2, { name: 'cup.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') })
    await page.getByText('The image must have one of these types').waitFor()
    await add(2, { ...picture(62), buffer: Buffer.alloc(5_000_001) })
    await page.getByText('The image is larger than 5 MB.').waitFor()
    await page.context().setOffline(true)
    await add(2, picture(63))
    await page.getByText('The image could not be uploaded.').waitFor()
    await page.context().setOffline(false)
    expect(await page.locator('[name="choice.1.image"]').inputValue()).toBe(url)
    await press(page, 'Add a choice')
    expect(await page.locator('li:nth-child(3) [data-picture] img').count()).toBe(0)
    await press(page, 'Remove image choice 2')
    expect(await page.locator('[data-picture] img').count()).toBe(0)
    await page.getByText('Saved to the draft').waitFor()
    await press(page, 'Done')
    const { body } = await person.get(`/api/v3/surveys/${survey.id}/draft/`)
    expect(JSON.stringify(body)).not.toContain('/images/')
  })

  it('is added to the page without scripts', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, withImage('https://images.example.org/a.png'))
    const page = await chromium.newPage({ javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/${survey.id}/edit/question/?id=cup`)
    await signInOn(page, person)
    await page.locator('[name="choice.1.file"]').setInputFiles(picture(64))
    await page.locator('[name="choice.1.alt"]').fill('No cup')
    await press(page, 'Add image choice 2')
    await page.locator('li:nth-child(2) [data-picture] img').waitFor()
  })
})
