import { readFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { respond } from '../support/respondents.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey } from '../support/surveys.ts'
import { signInOn } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'
import { addTenResponses, FULL_ANSWERS } from './survey-owner.ts'

const world = useWorld()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

onEveryScreen(
  'the responses pages',
  'filter, show, delete, download and import responses',
  async ({ page, expectClean, press, signIn, newPage }) => {
    const person = await world.person()
    const { survey } = await addSurvey(person, breakfastSurvey)
    const root = `${world.base}/account/surveys/${survey.id}/responses/`
    await page.goto(`${world.base}/accounts/login/`)
    await signIn(person)
    await page.goto(root)
    await expectClean('responses-empty')
    await addTenResponses(world, survey.id)
    const { id: fullId } = await respond(world, survey.id, {
      answers: { ...FULL_ANSWERS, mail: 'a.very.long.address@of-a-company-with-a-long-name.example.org '.repeat(3) },
      completionTime: 95,
      language: 'en',
      username: 'ann',
      referrer: 'https://example.org/where/the/link/was',
    })

    // A response arrives while the page is open; the script updates the link.
    await page.goto(root)
    await page.getByText('11 responses').waitFor()
    await expectClean('responses')
    await respond(world, survey.id, { completed: 0, answers: { bread: 1 } })
    await page.getByRole('link', { name: 'Show 1 new response' }).click()
    await page.getByText('12 responses').waitFor()

    // Filter: status, then a question.
    await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Complete', exact: true }).click()
    await page.locator('[aria-label=Status] [aria-current]', { hasText: 'Complete' }).waitFor()
    await page.getByText('Filter (1)', { exact: true }).click()
    await page.getByLabel('Started from (UTC)', { exact: true }).fill('2026-01-02')
    await page.getByLabel('Add filter').selectOption({ label: 'Which bread do you eat most?' })
    await press('Apply')
    await page.getByRole('heading', { name: 'Which bread do you eat most?' }).waitFor()
    await expectClean('responses-condition')
    await page.getByRole('checkbox', { name: 'Another one' }).check()
    await press('Add filter')
    await page.getByText('Which bread do you eat most? is Another one').waitFor()
    await page.getByText('2 of 12 responses match').waitFor()
    await expectClean('responses-filtered')
    const filteredUrl = page.url()
    expect(new URL(filteredUrl).search.replaceAll('%3E', '>')).toBe('?_completed=1&_created_at>=2026-01-02&bread=2')

    // The address alone shows the same list in another browser.
    const otherPage = await newPage({ javaScriptEnabled: false })
    await otherPage.goto(`${world.base}/accounts/login/`)
    await signInOn(otherPage, person)
    await otherPage.goto(filteredUrl)
    expect(await otherPage.locator('tbody tr').count()).toBe(2)

    await page.getByText('Columns and order').click()
    await page.getByText('Save as filter').click()
    await expectClean('responses-columns')
    await page.getByLabel('Name', { exact: true }).fill('Another bread')
    await press('Save')
    await page.getByText('Filter “Another bread” saved.').waitFor()
    expect(page.url()).toBe(`${root}?filter=Another+bread`)
    await page.locator('summary', { hasText: 'Saved filters' }).click()
    await expectClean('responses-saved-filters')
    await page.getByRole('link', { name: 'Manage…' }).click()
    await heading(page, 'Saved filters')
    await expectClean('responses-filters')
    await page.getByRole('link', { name: 'Another bread', exact: true }).click()

    await page.getByRole('link', { name: '11', exact: true }).click()
    await heading(page, 'Response 11')
    await expectClean('response')
    await page.getByRole('link', { name: 'Older', exact: true }).click()
    await page.getByRole('link', { name: 'Delete response…' }).click()
    await heading(page, /^Delete response/)
    await expectClean('response-delete')
    await press('Delete response')
    await page.getByText('1 of 11 responses matches').waitFor()
    await press('Select all on this page')
    await page.getByRole('button', { name: 'Select none' }).waitFor()
    await press('Delete selected…')
    await heading(page, 'Delete 1 response?')
    await expectClean('responses-delete')
    await page.getByRole('link', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'Download' }).click()
    await heading(page, 'Download responses')
    await expectClean('responses-download')
    await page.getByLabel('Custom').check()
    await page.getByLabel('Choice labels instead of positions').check()
    await page.getByLabel('Question titles in the header row').check()
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download')])
    expect(download.suggestedFilename()).toBe('bread-and-breakfast.csv')
    const rows = parse(readFileSync(await download.path(), 'utf8'), { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => [row._id, row['Which bread do you eat most?']])).toEqual([[String(fullId), 'Another one']])

    await page.goto(`${root}import/`)
    await page.getByLabel('File').setInputFiles({
      name: 'old.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,bread\nBo,Rye\nCy,Stone\n'),
    })
    await press('Import')
    await page.getByText('Nothing was imported.').waitFor()
    await expectClean('responses-import-invalid')
    await page.goto(`${root}?_created_at>=yesterday&colour=red`)
    await expectClean('responses-invalid-filter')
  },
)
