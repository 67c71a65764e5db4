import { describe, expect, test } from '@jest/globals'
import { violations } from '../../support/axe.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { addSurvey, pageOf, submitForm, text } from '../../support/surveys.ts'
import { useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const chromium = useChromium()
const structure = { title: 'Long survey', form: [pageOf(text('a')), pageOf(text('b'))] }

describe('“Save and continue later”', () => {
  test.each([true, false])(
    'offers the link to copy, as QR code and by email (scripts: %p)',
    async (javaScriptEnabled) => {
      const { path } = await addSurvey(await world.person(), structure)
      const page = await chromium.newPage({
        javaScriptEnabled,
        bypassCSP: true,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await page.goto(world.base + path)
      await page.getByLabel('Text a').fill('x')
      await page.getByRole('button', { name: 'Save and continue later' }).click()
      await page.getByRole('heading', { name: 'Your answers have been saved' }).waitFor()
      const link = (await page.locator('#link').textContent())!
      expect(link).toMatch(new RegExp(`^${world.base}${path}[0-9a-f]{40}/$`))
      expect(await page.locator('.qr-code svg path').count()).toBe(1)
      const copy = page.getByRole('button', { name: 'Copy link' })
      expect(await copy.count()).toBe(javaScriptEnabled ? 1 : 0)
      if (javaScriptEnabled) {
        expect(await violations(page)).toEqual([])
        await copy.click()
        await page.getByRole('button', { name: 'Link copied' }).waitFor()
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link)
      }
      await page.getByLabel('Email address').fill('eve@example')
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('Enter an email address, such as name@example.com.').waitFor()
      await page.getByLabel('Email address').fill('eve@example.org')
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('The link has been sent.').waitFor()
      mailbox.messages = []
      await world.runJobs()
      const [mail] = mailbox.messages
      expect(mail).toMatchObject({
        to: 'eve@example.org',
        headers: { to: 'eve@example.org', subject: 'Your link to continue: Long survey' },
      })
      expect(mail!.text).toContain(link)
    },
  )

  test('sends no email for an anonymous survey, and at most ten an hour to one address', async () => {
    const person = await world.person()
    const open = async (settings: object) => {
      const { path } = await addSurvey(person, structure, settings)
      const first = await world.anonymous.get(path)
      const { headers } = await submitForm(world.anonymous, first, { a: 'x', _go: 'later' })
      return headers.get('location')!
    }
    const send = async (page: string) =>
      (await world.anonymous.post(page.split('?')[0]!, { form: { _send_link_to: 'Ann@example.org' } })).headers.get(
        'location',
      )!
    const anonymous = await open({ anonymous: true })
    expect((await world.anonymous.get(anonymous)).text).not.toContain('_send_link_to')
    expect(await send(anonymous)).not.toContain('saved=sent')
    const identified = await open({})
    for (let n = 0; n < 10; n += 1) expect(await send(identified)).toContain('saved=sent')
    expect(await send(identified)).toContain('saved=failed')
  })
})
