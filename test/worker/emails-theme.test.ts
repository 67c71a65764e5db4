import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createDraft, sendDraft } from '../support/emails.ts'
import { type ReceivedEmail, useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url, settings: { MAIL_FROM: 'Acme <surveys@acme.example>' } })
const LOGO = readFileSync(new URL('../support/logo.png', import.meta.url))
let ann: Person
let survey: number
beforeAll(async () => {
  ann = await world.person()
  const languages = ['en', 'fr', 'ar'].map((code) => ({ code, name: code, isDefault: code === 'en' }))
  survey = await makeSurvey(ann, { title: 'Bread', languages })
})
beforeEach(() => {
  mailbox.messages = []
})

const MESSAGE = 'Hi [Full Name],\n\nplease answer:\n\n[Invite Link]\n\nThanks & <3'

let count = 0
async function sent(contact: object = {}, fields: object = {}): Promise<ReceivedEmail> {
  count += 1
  const json = { name: 'Bob', email: `bob${count}@example.net`, ...contact }
  const { id } = (await ann.post('/api/v3/contacts/', { json })).body
  await sendDraft(
    ann,
    await createDraft(ann, survey, [{ ids: [id], field: 'contacts' }], { message: MESSAGE, ...fields }),
  )
  await world.runJobs()
  return mailbox.messages[0]!
}

describe('an invitation of plain text', () => {
  test('has a text part, and an HTML part in the colours of the survey with its logo inside the message', async () => {
    const theme = { accent_color: '#8a3b12', background_color: '#fbf3ea', font: 'serif', corners: 'square' }
    await ann.put(`/api/v3/surveys/${survey}/theme/`, {
      json: { ...theme, logo: LOGO.toString('base64'), logo_text: 'Ex "Ltd"' },
    })
    const { text, html, raw } = await sent()
    expect(text).toMatch(/^Hi Bob,\n\nplease answer:\n\nhttp\S+\?code=\w{8}\n\nThanks & <3\n\n-- \n/)
    expect(html).toMatch(/<td bgcolor="#8a3b12" style="border-radius:0"><a href="http\S+\?code=\w{8}"/)
    expect(html).toContain('background-color:#fbf3ea')
    expect(html).toContain('Georgia,Times,serif')
    expect(html).toContain('Thanks &amp; &lt;3')
    expect(html).toContain('<img src="cid:logo@survey" ')
    expect(html).toContain('alt="Ex &quot;Ltd&quot;"')
    expect(raw).toMatch(/Content-Type: image\/png[\s\S]*Content-ID: <logo@survey>/i)
    expect(raw.replaceAll('\r\n', '')).toContain(LOGO.toString('base64'))
    // Nothing is loaded when the message is opened.
    expect(html).not.toMatch(/src="http|url\(/)
  })

  test('has the text that Canvass adds, and the survey link, in the language of the contact', async () => {
    const { text, html, headers } = await sent({ language: 'fr-CA' })
    expect(text).toMatch(/\?code=\w{8}&lang=fr\n/)
    expect(text).toContain('Vous recevez cet e-mail')
    expect(html).toContain('<span lang="fr">Répondre au questionnaire</span>')
    expect(headers['list-unsubscribe']).toContain('?lang=fr')
  })

  test('is written from right to left for a contact whose language is written in this direction', async () => {
    const { html } = await sent({ lang: 'AR' })
    expect(html).toContain('<div lang="ar" dir="rtl"')
    expect(html).toContain('المشاركة في الاستبيان')
  })

  test('has the default language of the survey for a contact with an unknown language', async () => {
    const { text } = await sent({ language: 'Klingon' })
    expect(text).toMatch(/\?code=\w{8}\n/)
    expect(text).toContain('You received this email')
  })

  test('has a Reply-To with the address of the sender, or with the reply address of the invitation', async () => {
    expect((await sent()).headers['reply-to']).toBe('Ann <ann@example.org>')
    mailbox.messages = []
    expect((await sent({}, { replyTo: 'panel@example.org' })).headers['reply-to']).toBe('panel@example.org')
  })
})

describe('sendSurveyInvites', () => {
  test('uses reply_to as the address for replies, and rejects a value that is not an email address', async () => {
    const json = {
      subject: 'Hi',
      sender: 'Ann <ann@example.org>',
      message: '[Invite Link]',
      name: 'Eve',
      email: 'eve@example.net',
    }
    const uri = `/api/v3/surveys/${survey}/invites/`
    expect((await ann.post(uri, { json: { ...json, reply_to: 'panel@example.org' } })).status).toBe(201)
    await world.runJobs()
    expect(mailbox.sentTo('eve@example.net')[0]!.headers['reply-to']).toBe('panel@example.org')
    const { status, body } = await ann.post(uri, { json: { ...json, reply_to: 'panel' } })
    expect([status, body.errors[0].field]).toEqual([400, 'reply_to'])
  })
})
