import { expect } from '@jest/globals'
import { useMailbox } from '../support/mailbox.ts'
import { onEveryScreen } from '../support/screens.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
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
    await press('Save draft')
    await page.getByText('Message must contain [Invite Link]').waitFor()
    await expectClean('invitation-invalid')
    await page.getByLabel('Subject').fill('Tea, [Full Name]?')
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('Hello [Full Name],\n\nplease answer:\n[Invite Link]\n\nThank you!')
    await press('Save draft')
    await page.getByText('Draft saved. You can now choose recipients.').waitFor()
    await expectClean('recipients-empty')
    await page.getByRole('textbox', { name: 'Email addresses' }).fill('Bob Example <bob@example.net>\ngone@example.net')
    await press('Add addresses')
    await page.getByText('2 recipients added.').waitFor()
    await page.getByRole('checkbox', { name: /Cleo/ }).check()
    await press('Add selected')
    await heading('3 recipients')
    await expectClean('recipients')
    await page.getByRole('link', { name: 'Done' }).click()
    await heading('Send invitation')
    await page.getByRole('radio', { name: 'On a date' }).check()
    await page.getByLabel('Date', { exact: true }).fill('2030-03-01')
    await page.getByText('Your local time').waitFor()
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
