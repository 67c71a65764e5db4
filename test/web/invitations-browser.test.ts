import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { sendDueReminders } from '../../src/domain/email/reminders.ts'
import { expectClean } from '../support/axe.ts'
import { useMailbox } from '../support/mailbox.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { useWorld } from '../support/world.ts'
import { keyboardOn } from './builder-drivers.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const chromium = useChromium()
const THREE_DAYS_MS = 3 * 86_400_000
onEveryScreen(
  'an invitation by email',
  'is written, sent, opened and completed',
  async ({ page, expectClean, press, signIn, newPage }) => {
    const person = await world.person({ name: 'Ann Example' })
    const structure = { title: 'How do you take your tea?', form: [pageOf(text('milk'))] }
    const survey = (await addSurvey(person, structure)).survey
    await person.post('/api/v3/contacts/', {
      json: { name: 'Cleo Clark', email: 'cleo@example.net', city: 'Oslo' },
    })
    const friends = (await person.post('/api/v3/contact-lists/', { json: { name: 'Friends' } })).body.id
    await person.post(`/api/v3/contact-lists/${friends}/contacts/`, {
      json: { name: 'Fay', email: 'fay@example.net' },
    })
    const heading = (label: string | RegExp) => page.getByRole('heading', { name: label }).first().waitFor()
    await page.goto(`${world.base}/account/surveys/${survey.id}/`)
    await signIn(person)
    await page.getByRole('link', { name: 'Invitations', exact: true }).click()
    await heading('No invitations yet')
    await expectClean('invitations-empty')
    await page.getByRole('link', { name: 'New invitation' }).click()
    await heading('New invitation')
    await page.getByRole('textbox', { name: 'Message' }).fill('Come!')
    await press('Continue')
    await page.getByText('Message must contain [Invite Link]').waitFor()
    await expectClean('invitation-invalid')
    await page.getByLabel('Subject').fill('Tea, [Full Name]?')
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('Hello [Full Name],\n\nplease answer:\n[Invite Link]\n\nThank you!')
    await press('Continue')
    await page.getByText('Draft saved. You can now choose recipients.').waitFor()
    await expectClean('recipients-empty')
    await page.getByRole('textbox', { name: 'Email addresses' }).fill('Bob Example <bob@example.net>\ngone@example.net')
    await press('Add addresses')
    await page.getByText('2 recipients added.').waitFor()
    await page.getByRole('checkbox', { name: /Cleo/ }).check()
    await press('Add selected')
    await heading('3 recipients')
    await expectClean('recipients')
    await page.getByRole('link', { name: 'Check and send' }).click()
    await heading('Send invitation')
    await page.getByRole('radio', { name: 'On a date' }).check()
    await page.getByLabel('Date', { exact: true }).fill('2030-03-01')
    await page.getByText('Times are in the time zone UTC. It is now').waitFor()
    await expectClean('invitation-draft')
    await page.getByRole('link', { name: 'Preview' }).click()
    await page.getByLabel('Preview as').selectOption({ label: 'Bob Example <bob@example.net>' })
    await press('Show')
    await heading('Tea, Bob Example?')
    await page.frameLocator('iframe').getByText('Hello Bob Example').waitFor()
    await expectClean('invitation-preview')
    await page.getByRole('link', { name: 'Tea, [Full Name]?' }).click()
    await page.getByRole('radio', { name: 'Now' }).check()
    mailbox.behaviour = (address) => (address === 'gone@example.net' ? '550 no such user' : 'accept')
    await press('Send')
    await page.getByText('Sending the invitation.').waitFor()
    await expectClean('invitation-sending')
    mailbox.messages = []
    await world.runJobs()
    const [, link] = /(http\S+code=\S+)/.exec(mailbox.sentTo('bob@example.net')[0]!.text)!
    const respondent = await newPage()
    await respondent.goto(link!)
    await respondent.getByRole('textbox').fill('With a cloud of milk')
    await respondent.getByRole('button', { name: /Send|Submit|Finish|Done/ }).click()
    await respondent.getByRole('heading', { name: /Thank/ }).waitFor()
    // The page refreshes itself.
    await page.getByText('2 of 3 sent, 1 failed').waitFor()
    await page.reload()
    const bob = page.getByRole('listitem').filter({ hasText: 'Bob Example' }).first()
    for (const step of ['Sent', 'Viewed the survey', 'Completed']) await bob.getByText(step).waitFor()
    await page.getByText('2 of 3 sent, 1 failed').waitFor()
    await expectClean('invitation-sent')
    await page.getByRole('link', { name: 'Remind…' }).click()
    await heading('Send a reminder')
    await expectClean('invitation-remind')
    await press('Send reminder')
    await page.getByText('Sending the reminder.').waitFor()
    await world.runJobs()
    expect(mailbox.sentTo('bob@example.net')).toHaveLength(1)
    expect(mailbox.sentTo('cleo@example.net')).toHaveLength(2)
    await page.getByRole('link', { name: 'Invitations', exact: true }).click()
    await heading('Invitations')
    await expectClean('invitations')
    await page.getByRole('link', { name: 'Codes' }).click()
    await heading('Create codes')
    await press('Create codes')
    await page.getByText('10 codes created.').waitFor()
    await press('Copy all')
    await expectClean('invite-codes')
  },
)

/** Opens an invitation in French and submits the survey, whose button and last heading the owner has translated. */
async function answerInFrench(page: Page, address: string): Promise<void> {
  const [link] = /http\S+code=\w+/.exec(mailbox.sentTo(address)[0]!.text)!
  await page.goto(`${link}&lang=fr`)
  await page.getByRole('textbox').fill('Un nuage de lait')
  await page.getByRole('button', { name: 'Expédier', exact: true }).click()
  await page.getByRole('heading', { name: 'Mille mercis', exact: true }).waitFor()
}

describe('an owner with the keyboard alone, at 320 pixels', () => {
  it('translates texts that respondents see, plans reminders, and reads in the funnel who has answered', async () => {
    const languages = [
      { code: 'en', name: 'English', isDefault: true },
      { code: 'fr', name: 'Français', isDefault: false },
    ]
    const owner = await world.person({ name: 'Ann Example' })
    const { survey } = await addSurvey(owner, { title: 'Tea', languages, form: [pageOf(text('milk'))] })
    const page = await chromium.newPage({ viewport: { width: 320, height: 640 }, bypassCSP: true })
    const { press, fill } = keyboardOn(page)
    await page.goto(`${world.base}/account/surveys/${survey.id}/edit/texts/`)
    await signInOn(page, owner)
    await press('Français')
    await page.waitForURL(/to=fr/)
    await fill('Envoyer', 'Expédier')
    await press('End of the survey')
    await fill('Merci !', 'Mille mercis')
    await press('Save texts')
    await page.getByText('Texts in Français saved.').waitFor()
    await expectClean(page, 'texts-translated', 'small-light')

    await press('Invitations')
    await page.getByRole('heading', { name: 'No invitations yet' }).waitFor()
    await press('New invitation')
    await page.getByRole('heading', { name: 'New invitation' }).waitFor()
    await fill('Recipients', 'Bob <bob@example.net>, Cleo <cleo@example.net>')
    await press('Continue')
    await page.getByText('Draft saved. Check it, then send it.').waitFor()
    await page.getByRole('heading', { name: 'Send invitation' }).waitFor()
    await fill('Days between reminders', '3')
    await fill('Maximum number of reminders', '1')
    await press('Save reminders')
    await page.getByText('Reminders saved.').waitFor()
    await press('Send')
    await page.getByText('Sending the invitation.').waitFor()
    mailbox.behaviour = () => 'accept'
    mailbox.messages = []
    await world.runJobs()
    await answerInFrench(await chromium.newPage(), 'bob@example.net')

    await page.reload()
    await page.getByText(/^Next reminder:/).waitFor()
    const funnel = page.getByRole('region', { name: 'Funnel' }).getByRole('row')
    expect((await funnel.allInnerTexts()).map((row) => row.split(/\s+/).filter(Boolean).join(' '))).toEqual([
      'Step Recipients Share of sent emails',
      'Sent 2 100%',
      'Accepted 2 100%',
      'Opened the survey 1 50%',
      'Started 1 50%',
      'Completed 1 50%',
    ])
    await expectClean(page, 'invitation-funnel', 'small-light')
    mailbox.messages = []
    world.now = new Date(world.now.getTime() + THREE_DAYS_MS)
    await sendDueReminders(world.context(), new AbortController().signal)
    await world.runJobs()
    expect([mailbox.sentTo('bob@example.net').length, mailbox.sentTo('cleo@example.net').length]).toEqual([0, 1])
    await page.reload()
    await page.getByText('1 reminder sent.').waitFor()
  }, 90_000)
})
