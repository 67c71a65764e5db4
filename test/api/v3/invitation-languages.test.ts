import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { remind } from '../../../src/domain/email/reminders.ts'
import { signInAs } from '../../support/http-browser.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { addSurvey, pageOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
const email = {
  subject: 'Tea?',
  sender: 'Ann <ann@example.org>',
  message: 'Come: [Invite Link]',
  translations: {
    fr: { subject: 'Bonjour, [Full Name]', message: 'Venez : [Invite Link]' },
    'pt-BR': { subject: 'Oi!', message: 'Venha: [Invite Link]\n\nSair: [Unsubscribe Link]' },
  },
}
let ann: Person
let surveyId: number
beforeAll(async () => {
  ann = await world.person()
  const languages = ['en', 'fr', 'pt-BR', 'de'].map((code) => ({ code, name: code, isDefault: code === 'en' }))
  surveyId = (await addSurvey(ann, { title: 'Tea', languages, form: [pageOf(text('q'))] })).survey.id
})
beforeEach(() => {
  mailbox.messages = []
})

let count = 0
/** Creates contacts with these custom fields. @returns their IDs */
const contacts = (fields: readonly object[]) =>
  Promise.all(
    fields.map(async (custom) => {
      count += 1
      const reply = await ann.post('/api/v3/contacts/', {
        json: { name: `Contact ${count}`, email: `c${count}@example.net`, ...custom },
      })
      expect(reply.status).toBe(201)
      return reply.body.id as number
    }),
  )
const invite = (fields: object) => ann.post(`/api/v3/surveys/${surveyId}/invites/`, { json: { ...email, ...fields } })
/** Returns the subjects of the sent messages, by the address of the recipient. */
const subjects = () =>
  mailbox.messages
    .toSorted((a, b) => a.to.localeCompare(b.to, 'en', { numeric: true }))
    .map(({ headers }) => headers.subject)

describe('sendSurveyInvites with translations', () => {
  test('sends each contact the texts of the own language, named by its code or in words [spec 9.6]', async () => {
    const languages = [
      {},
      { language: 'fr' },
      { language: 'FR-ca' },
      { lang: 'pt' },
      { Sprache: 'Französisch' },
      { langue: 'français' },
      { language: 'de' },
      { language: 'tlh' },
    ]
    const reply = await invite({ contacts: await contacts(languages) })
    expect(reply.status).toBe(201)
    await world.runJobs()
    expect(subjects()).toEqual([
      'Tea?',
      'Bonjour, Contact 2',
      'Bonjour, Contact 3',
      'Oi!',
      'Bonjour, Contact 5',
      'Bonjour, Contact 6',
      'Tea?',
      'Tea?',
    ])
    const [english, french, , portuguese] = mailbox.messages.toSorted((a, b) =>
      a.to.localeCompare(b.to, 'en', { numeric: true }),
    )
    expect(english!.text).toMatch(/^Come: \S+\?code=\w+\n\n-- \nYou received/)
    expect(french!.text).toMatch(/^Venez : \S+\?code=\w+&lang=fr\n\n-- \nVous recevez/)
    // The message has its own unsubscribe link, so Canvass adds none.
    expect(portuguese!.text).toMatch(/^Venha: \S+&lang=pt-BR\n\nSair: \S+unsubscribe\S+\n+$/)
    const shown = await ann.get(`/api/v3/surveys/${surveyId}/emails/${reply.body.email}/`)
    expect(shown.body.translations).toEqual(email.translations)
  })

  test('sends the reminder in the same language [spec 9.6]', async () => {
    const { body } = await invite({ contacts: await contacts([{}, { language: 'fr' }, { language: 'de' }]) })
    await world.runJobs()
    mailbox.messages = []
    await ann.act((context) => remind(context, body.email, {}))
    await world.runJobs()
    expect(subjects()).toEqual([
      'Reminder: Tea?',
      expect.stringMatching(/^Rappel: Bonjour, Contact \d+$/),
      'Reminder: Tea?',
    ])
  })

  test.each([
    ['a message without the link', { fr: { subject: 'Thé', message: 'Venez' } }, 'translations.fr.message'],
    ['a subject of two lines', { fr: { subject: 'a\nb', message: '[Invite Link]' } }, 'translations.fr.subject'],
    ['one text only', { fr: { subject: 'Thé' } }, 'translations.fr.message'],
    ['no language code', { '[fr]': { subject: 'Thé', message: '[Invite Link]' } }, 'translations.[fr]'],
  ])('refuses %s and names the place [spec 9.6]', async (_, translations, field) => {
    const reply = await invite({ contacts: await contacts([{}]), translations })
    expect(reply.status).toBe(400)
    expect(reply.body.errors.map((error: { field: string }) => error.field)).toContain(field)
  })
})

describe('the page of an invitation', () => {
  test('has fields for each further language, keeps them after an error, and previews each language', async () => {
    const browser = await signInAs(ann)
    const root = `/account/surveys/${surveyId}/invitations/`
    const form = await browser.get(`${root}new/`)
    for (const code of ['fr', 'pt-BR', 'de']) expect(form.text).toContain(`name="translations.${code}.message"`)
    expect(form.text).not.toContain('name="translations.en.subject"')
    const filled = {
      subject: email.subject,
      sender: email.sender,
      message: email.message,
      'translations.fr.subject': 'Du thé ?',
      'translations.fr.message': 'Venez',
    }
    const rejected = await browser.post(`${root}new/`, filled)
    expect(rejected.status).toBe(422)
    expect(rejected.text).toMatch(/id="translations\.fr\.message-error">/)
    expect(rejected.text).toMatch(/<details open>\s*<summary>In fr/)
    expect(rejected.text).toContain('Du thé ?')
    const saved = await browser.post(`${root}new/`, { ...filled, 'translations.fr.message': 'Venez : [Invite Link]' })
    expect(saved.status).toBe(303)
    const path = saved.to!.replace('recipients/', '')
    const preview = await browser.get(`${path}preview/`)
    expect(preview.text).toContain('<h2 id="head">Tea?</h2>')
    expect(preview.text).toContain('<option value="fr">')
    expect((await browser.get(`${path}preview/?contact=fr`)).text).toContain('<h2 id="head">Du thé ?</h2>')
    expect((await browser.get(`${path}preview/html/?contact=fr`)).text).toContain('Venez : ')
    const edit = await browser.get(`${path}edit/`)
    expect(edit.text).toContain('Venez : [Invite Link]')
    await browser.post(`${path}edit/`, { ...filled, 'translations.fr.subject': '', 'translations.fr.message': '' })
    expect((await browser.get(`${path}preview/?contact=fr`)).text).toContain('<h2 id="head">Tea?</h2>')
  })

  test('says which column of an imported file is the language', async () => {
    const browser = await signInAs(ann)
    await browser.get('/account/contacts/import/')
    const reply = await browser.upload('/account/contacts/import/', 'name,email,Sprache\nEva,eva@example.org,Deutsch\n')
    expect(reply.text).toContain('Language (custom field “Sprache”)')
  })
})
