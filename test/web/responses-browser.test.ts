import { readFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { respond } from '../support/respondents.ts'
import { onEveryScreen, signInOn } from '../support/screens.ts'
import { surveyOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { everything } from './sample-surveys.ts'
import { FULL, ten } from './survey-owner.ts'

const world = useWorld()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

onEveryScreen(
  'the pages of responses',
  'filter, share, save, show, delete and download responses without accessibility violations',
  async ({ page, clean, press, signIn, openAnother }) => {
    const person = await world.person()
    const { survey } = await surveyOf(world, person, everything)
    const top = `${world.base}/account/surveys/${survey.id}/responses/`
    await page.goto(`${world.base}/accounts/login/`)
    await signIn(person)
    await page.goto(top)
    await clean('responses-none')
    await ten(world, survey.id)
    const { id: full } = await respond(world, survey.id, {
      answers: { ...FULL, mail: 'a.very.long.address@of-a-company-with-a-long-name.example.org '.repeat(3) },
      completionTime: 95,
      language: 'en',
      username: 'ann',
      referrer: 'https://example.org/where/the/link/was',
    })

    // A response arrives while the page is open; the script updates the link.
    await page.goto(top)
    await page.getByText('11 responses').waitFor()
    await clean('responses')
    await respond(world, survey.id, { completed: 0, answers: { bread: 1 } })
    await page.getByRole('link', { name: 'Show 1 new response' }).click()
    await page.getByText('12 responses').waitFor()

    // Filter: status, then a question.
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Complete')
    await page.getByLabel('From', { exact: true }).fill('2026-01-02')
    await page.getByLabel('Add filter').selectOption({ label: 'Which bread do you eat most?' })
    await press('Apply')
    await page.getByRole('heading', { name: 'Which bread do you eat most?' }).waitFor()
    await clean('responses-condition')
    await page.getByLabel('Is', { exact: true }).selectOption({ label: 'Another one' })
    await press('Add filter')
    await page.getByText('Which bread do you eat most? is Another one').waitFor()
    await page.getByText('2 of 12 responses match').waitFor()
    await clean('responses-filtered')
    const shared = page.url()
    expect(new URL(shared).search.replaceAll('%3E', '>')).toBe('?_completed=1&_created_at>=2026-01-02&bread=2')

    // The address alone shows the same list in another browser.
    const elsewhere = await openAnother({ javaScriptEnabled: false })
    await elsewhere.goto(`${world.base}/accounts/login/`)
    await signInOn(elsewhere, person)
    await elsewhere.goto(shared)
    expect(await elsewhere.locator('tbody tr').count()).toBe(2)

    await page.getByText('Columns and order').click()
    await page.getByText('Save as filter').click()
    await clean('responses-columns')
    await page.getByLabel('Name', { exact: true }).fill('Another bread')
    await press('Save')
    await page.getByText('Filter “Another bread” saved.').waitFor()
    expect(page.url()).toBe(`${top}?filter=Another+bread`)
    await page.getByRole('link', { name: 'Manage…' }).click()
    await heading(page, 'Saved filters')
    await clean('responses-filters')
    await page.getByRole('link', { name: 'Another bread', exact: true }).click()

    await page.getByRole('link', { name: String(full), exact: true }).click()
    await heading(page, `Response ${full}`)
    await clean('response')
    await page.getByRole('link', { name: 'Older', exact: true }).click()
    await page.getByRole('link', { name: 'Delete response…' }).click()
    await heading(page, /^Delete response/)
    await clean('response-delete')
    await press('Delete response')
    await page.getByText('1 of 11 responses matches').waitFor()
    await press('Select all on this page')
    await page.getByRole('button', { name: 'Select none' }).waitFor()
    await press('Delete selected…')
    await heading(page, 'Delete 1 response?')
    await clean('responses-delete')
    await page.getByRole('link', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'Download' }).click()
    await heading(page, 'Download responses')
    await clean('responses-download')
    await page.getByLabel('Choice labels instead of positions').check()
    await page.getByLabel('Question titles in the header row').check()
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download')])
    expect(download.suggestedFilename()).toBe('bread-and-breakfast.csv')
    const rows = parse(readFileSync(await download.path(), 'utf8'), { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => [row._id, row['Which bread do you eat most?']])).toEqual([[String(full), 'Another one']])

    await page.goto(`${top}import/`)
    await page.getByLabel('File').setInputFiles({
      name: 'old.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,bread\nBo,Rye\nCy,Stone\n'),
    })
    await press('Import')
    await page.getByText('Nothing was imported.').waitFor()
    await clean('responses-import-refused')
    await page.goto(`${top}?_created_at>=yesterday&colour=red`)
    await clean('responses-wrong')
  },
)
