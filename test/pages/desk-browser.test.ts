import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { launchBrowser } from '../support/browser.ts'
import { manners, useReceiver } from '../support/receiver.ts'
import { useWorld } from '../support/world.ts'
import { pageOf, text } from './surveys.ts'

const world = useWorld()
const receiver = useReceiver()
/** Where to leave pictures of the pages, to be looked at; none are made where it is not set. */
const pictures = process.env.SCREENSHOTS
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

describe.each(['light', 'dark'] as const)('contacts and webhooks, %s,', (colorScheme) => {
  it.each([
    ['phone', 360, 780],
    ['desk', 1280, 800],
  ])(
    'on a %s: axe-core finds nothing on the way',
    async (name, width, height) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height }, bypassCSP: true })
      context.setDefaultTimeout(15_000)
      try {
        const page = await context.newPage()
        const person = await world.person()
        const survey = (await person.post('/api/v2/surveys/', { json: { title: 'Tea', form: [pageOf(text('q'))] } }))
          .body
        const clean = async (where: string) => {
          expect([where, await violations(page)]).toEqual([where, []])
          if (pictures)
            await page.screenshot({ path: `${pictures}/${where}-${name}-${colorScheme}.png`, fullPage: true })
        }
        const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
        const follow = (label: string | RegExp) => page.getByRole('link', { name: label }).first().click()
        const heading = (label: string | RegExp) => page.getByRole('heading', { name: label }).first().waitFor()

        await page.goto(`${world.base}/account/contacts/`)
        await page.getByLabel('User name or e-mail').fill(person.actor.username)
        await page.getByLabel('Password').fill(person.password)
        await press('Sign in')
        await heading('Your address book is empty')
        await clean('contacts-none')
        await follow('Add a contact')
        await page.getByLabel('Name', { exact: true }).fill('Bob Example')
        await page.getByLabel('E-mail').fill('bob@example')
        await page.getByLabel('New field').fill('city')
        await page.getByLabel('Its value').fill('Oslo')
        await press('Save')
        await page.getByText('Must be an e-mail address').waitFor()
        await clean('contact-refused')
        await page.getByLabel('E-mail').fill('bob@example.net')
        await press('Save')
        await page.getByText('Bob Example is in your address book.').waitFor()
        await follow('Lists')
        await page.getByLabel('Name').fill('Friends of tea')
        await press('Make the list')
        await page.getByRole('textbox', { name: 'Addresses' }).fill('Cleo Clark <cleo@example.net>\ndan@example.net')
        await press('Add them')
        await page.getByText('2 contacts put into the list.').waitFor()
        await clean('contact-list')
        await follow('All lists')
        await heading('1 list')
        await clean('contact-lists')
        await follow('Import and export')
        const buffer = Buffer.from('name,email,city\nEve,eve,Rome\nFay,fay@example.net,Rome\n')
        await page
          .getByLabel('File', { exact: true })
          .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
        await press('Import')
        await heading('Nothing was imported')
        await clean('contacts-import')
        await page.getByRole('link', { name: 'Contacts', exact: true }).last().click()
        await page.getByRole('checkbox', { name: /Bob/ }).check()
        await press('Put')
        await page.getByText('1 contact put into “Friends of tea”.').waitFor()
        await clean('contacts')
        await follow('Bob Example')
        await heading('Bob Example')
        await clean('contact')
        await follow('Delete or erase…')
        await page.getByRole('checkbox', { name: 'I am sure' }).check()
        await clean('contact-delete')
        await press('Erase the person')
        await heading('Receipt')
        await clean('contact-erased')

        await follow('Webhooks')
        await heading('Nobody is told yet')
        await clean('webhooks-none')
        await follow('Add a webhook')
        await page.getByLabel('Address of your program').fill('https://user:secret@example.org/')
        await press('Add it')
        await page.getByText('Must not contain').waitFor()
        await clean('webhook-refused')
        const path = `/${name}-${colorScheme}`
        receiver.answer(path, manners.status(503))
        await page.getByLabel('Address of your program').fill(receiver.url(path))
        await press('Add it')
        await heading('Signing secret')
        await clean('webhook-secret')
        await follow('Go to the webhook')
        await press('Send a sample')
        await heading('Delivery')
        await page.getByText('A sample is on its way.').waitFor()
        await world.workJobs()
        await page.getByText('answered 503').first().waitFor()
        await clean('webhook-delivery')
        receiver.answer(path, manners.status(200))
        await press('Send it again')
        await page.getByText('It is on its way.').waitFor()
        await world.workJobs()
        await follow(receiver.url(path))
        await page.getByText('Delivered').waitFor()
        await clean('webhook')
        await follow('Webhooks')
        await page.getByText('On', { exact: true }).waitFor()
        await clean('webhooks')
        await page.goto(`${world.base}/account/surveys/${survey.id}/webhooks/`)
        await heading('Nobody is told yet')
        await clean('survey-webhooks')
      } finally {
        await context.close()
      }
    },
    120_000,
  )
})
