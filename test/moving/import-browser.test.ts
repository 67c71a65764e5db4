import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { press, signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const chromium = useChromium()
let folder: string
const file = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'canvass-import-'))
  const elements = [
    { type: 'radiogroup', name: 'bread', title: 'Which bread?', choices: ['Rye', 'Wheat'] },
    { type: 'text', inputType: 'number', name: 'slices', title: 'How many slices?' },
    { type: 'paneldynamic', name: 'more', title: 'More' },
  ]
  await writeFile(file('form.json'), JSON.stringify({ title: 'Bread', elements }))
  await writeFile(
    file('results.json'),
    JSON.stringify([
      { bread: 'Rye', slices: 2 },
      { bread: 'Oat', slices: 3 },
    ]),
  )
})
afterAll(() => rm(folder, { recursive: true }))

describe('the import from another tool', () => {
  it('is checked, made and proved on a phone without scripts', async () => {
    const page = await chromium.newPage({ viewport: { width: 360, height: 780 }, javaScriptEnabled: false })
    await page.goto(`${world.base}/account/surveys/new/import/`)
    await signInOn(page, await world.person())
    await page.getByLabel('File', { exact: true }).setInputFiles(file('form.json'))
    await page.getByLabel('Responses (optional)').setInputFiles(file('results.json'))
    await press(page, 'Upload')
    await page.getByText('From SurveyJS: 2 columns of answers and 2 responses.').waitFor()
    await page.getByRole('cell', { name: 'paneldynamic' }).waitFor()
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/check.png`, fullPage: true })
    await press(page, 'Import')
    await page.getByRole('heading', { name: 'Some totals differ' }).waitFor()
    // The question whose totals differ is open, the other one opens without scripts.
    await page.getByRole('row', { name: /^Oat \(no choice\).*1.*0.*differs/ }).waitFor()
    await page.getByText('How many slices?').click()
    await page.getByRole('row', { name: /^Sum.*5.*5/ }).waitFor()
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/proof.png`, fullPage: true })
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  }, 90_000)
})
