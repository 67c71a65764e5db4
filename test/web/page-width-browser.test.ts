import { describe, expect, test } from '@jest/globals'
import { createEmail } from '../../src/domain/email/commands.ts'
import { addRecipients } from '../../src/domain/email/recipients.ts'
import { sendEmail } from '../../src/domain/email/send.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { useReceiver } from '../support/receiver.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const chromium = useChromium()

/** A word without a place for a line break. */
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(6)
const LONG_EMAIL = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example.net`

describe('the pages of an account', () => {
  test('with long words, are not wider than a phone', async () => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, { title: LONG_WORD, form: [pageOf(text('q'))] })
    const contact = (
      await ann.post('/api/v3/contacts/', {
        json: { name: LONG_WORD, email: LONG_EMAIL, [LONG_WORD.slice(0, 90)]: LONG_WORD },
      })
    ).body.id
    const list = (await ann.post('/api/v3/contact-lists/', { json: { name: LONG_WORD } })).body.id
    await ann.post(`/api/v3/contact-lists/${list}/contacts/`, { json: { id: contact } })
    const group = await makeGroup(ann, LONG_WORD.slice(0, 100))
    await share(ann, survey.id, group)
    await addMember(ann, group, ann, 'Edit')
    const webhook = (
      await ann.post('/api/v3/webhooks/', {
        json: { subscription_url: receiver.url(`/${LONG_WORD}`), event: 'response_complete', survey: survey.id },
      })
    ).body.id
    const invitation = {
      subject: LONG_WORD,
      sender: `${LONG_WORD} <${LONG_EMAIL}>`,
      message: `${LONG_WORD} [Invite Link]`,
    }
    const [draft, sent] = await ann.act(async (context) => {
      const emails = [
        await createEmail(context, { survey: survey.id }, invitation),
        await createEmail(context, { survey: survey.id }, invitation),
      ] as const
      for (const { id } of emails) await addRecipients(context, id, { ids: [contact], field: 'contacts' })
      await sendEmail(context, emails[1].id)
      return emails
    })
    await ann.post(`/api/v3/surveys/${survey.id}/responses/`, { form: { q: LONG_WORD, _completed: 1 } })
    await ann.post(`/api/v3/embeds/`, { form: { survey: survey.id, kind: 'popup' } })
    await ann.post(`/api/v3/surveys/${survey.id}/invite_codes/`, { form: { count: 2 } })
    await world.runJobs()
    const delivery = (await ann.get(`/api/v3/webhooks/${webhook}/deliveries/`)).body.results[0].id

    const page = await chromium.newPage({ viewport: { width: 360, height: 780 } })
    await page.goto(`${world.base}/account/surveys/`)
    await signInOn(page, ann)
    const [root, invitations] = [`surveys/${survey.id}/`, `surveys/${survey.id}/invitations/`]
    const widePages: string[] = []
    for (const path of [
      'surveys/',
      root,
      invitations,
      `${invitations}new/`,
      `${invitations}codes/`,
      ...['', 'edit/', 'recipients/', 'preview/', 'delete/'].map((rest) => `${invitations}${draft.id}/${rest}`),
      ...['', 'remind/'].map((rest) => `${invitations}${sent.id}/${rest}`),
      `${root}embeds/`,
      `${root}fieldwork/`,
      `${root}collectors/`,
      `${root}webhooks/`,
      `${root}webhooks/${webhook}/`,
      `${root}webhooks/${webhook}/delete/`,
      `${root}webhooks/${webhook}/deliveries/${delivery}/`,
      'webhooks/',
      'contacts/',
      `contacts/${contact}/`,
      `contacts/${contact}/delete/`,
      'contacts/lists/',
      `contacts/lists/${list}/`,
      'groups/',
      `groups/${group}/`,
    ]) {
      const response = await page.goto(`${world.base}/account/${path}`)
      expect([path, response!.status()]).toEqual([path, 200])
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) widePages.push(path)
    }
    expect(widePages).toEqual([])
  }, 120_000)

  test.each([1280, 1920])('begin and end where the header does in a window of %d pixels', async (width) => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, { title: 'Lunch', form: [pageOf(text('q'))] })
    const page = await chromium.newPage({ viewport: { width, height: 800 } })
    await page.goto(`${world.base}/account/surveys/`)
    await signInOn(page, ann)
    for (const path of ['', 'edit/', 'edit/theme/', 'edit/json/', 'responses/']) {
      await page.goto(`${world.base}/account/surveys/${survey.id}/${path}`)
      const edges = (selector: string): Promise<[left: number, right: number]> =>
        page.evaluate(`{
          const element = document.querySelector('${selector}')
          const { left, right } = element.getBoundingClientRect()
          const { paddingLeft, paddingRight } = getComputedStyle(element);
          [left + parseFloat(paddingLeft), right - parseFloat(paddingRight)]
        }`)
      const [header, bar, main] = [await edges('header.bar'), await edges('.survey-bar'), await edges('main')]
      const side = path.startsWith('edit/') ? 200 : 0
      expect([path, bar, main]).toEqual([path, header, [header[0] + side, header[1]]])
    }
  })

  test('show all columns of the funnel of an email in a window of 320 pixels', async () => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, { title: 'Lunch', form: [pageOf(text('q'))] })
    const contact = (await ann.post('/api/v3/contacts/', { json: { name: 'Bob', email: 'bob@example.net' } })).body.id
    const { id } = await ann.act(async (context) => {
      const draft = { subject: 'Lunch', sender: 'Ann <ann@example.org>', message: '[Invite Link]' }
      const email = await createEmail(context, { survey: survey.id }, draft)
      await addRecipients(context, email.id, { ids: [contact], field: 'contacts' })
      await sendEmail(context, email.id)
      return email
    })
    await world.runJobs()
    const page = await chromium.newPage({ viewport: { width: 320, height: 800 } })
    await page.goto(`${world.base}/account/surveys/${survey.id}/invitations/${id}/`)
    await signInOn(page, ann)
    const table = page.getByRole('region', { name: 'Funnel' })
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Step',
      'Recipients',
      'Share of sent emails',
    ])
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  })
})
