import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { mailWords, mailWordsFor } from '../../src/domain/email/i18n.ts'
import { languages } from '../../src/web/i18n/locales.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})
beforeEach(() => {
  mailbox.messages = []
})

/** A survey in a language, and an invitation to it that was sent. @returns the address of the e-mail */
async function invited(code: string): Promise<string> {
  const languages = [
    { code: 'en', name: 'English', isDefault: code === 'en' },
    ...(code === 'en' ? [] : [{ code, name: code, isDefault: true }]),
  ]
  const survey = await ann.post('/api/v2/surveys/', { json: { title: `In ${code}`, languages } })
  const json = { subject: 'Thé ?', sender: 'Ann <ann@example.org>', message: '[Invite Link]' }
  const { uri, recipients_uri, send_uri } = (await ann.post(`/api/v2/emails/?survey=${survey.body.id}`, { json })).body
  await ann.post(recipients_uri, { json: { name: 'Bob', email: `bob@${code.toLowerCase()}.example.net` } })
  await ann.post(send_uri)
  await world.runJobs()
  return uri
}

describe('the text that Canvass adds to an email', () => {
  test('is in the language of the survey, as plain text and as HTML', async () => {
    await invited('fr-CA')
    const [{ text, html }] = mailbox.messages as [(typeof mailbox.messages)[0]]
    expect(text).toContain('Vous recevez cet e-mail car')
    expect(html).toMatch(/<div lang="fr" style="[^"]*"><p>Vous recevez/)
  })

  test('links to an unsubscribe page in that language, whatever the browser prefers', async () => {
    await invited('de')
    const [, way] = /<(.+)>/.exec(mailbox.messages[0]!.headers['list-unsubscribe']!)!
    expect(way).toMatch(/\?lang=de$/)
    const headers = { 'accept-language': 'es' }
    expect((await world.anonymous.get(way!, { headers })).text).toContain(languages.de!.unsubscribeText)
    expect((await world.anonymous.post(way!, { headers })).text).toContain(languages.de!.unsubscribedTitle)
    const unnamed = way!.replace('lang=de', 'lang=constructor')
    expect((await world.anonymous.get(unnamed, { headers })).text).toContain(languages.es!.unsubscribeText)
  })

  test('is the default text of a reminder', async () => {
    const uri = await invited('it')
    expect((await ann.post(`${uri}reminder/`)).status).toBe(200)
    await world.runJobs()
    const { text, headers } = mailbox.messages[1]!
    expect(headers.subject).toContain('Promemoria')
    expect(text).toContain('qualche giorno fa l’abbiamo invitata')
    expect(text).toContain('?code=')
    expect(text).toContain('Riceve questa e-mail')
  })

  test('is English for languages without a translation', async () => {
    await invited('sv')
    expect(mailbox.messages[0]!.text).toContain('you were invited to a survey')
  })

  test('is complete in every language of the pages', () => {
    expect(Object.keys(mailWords).sort()).toEqual(Object.keys(languages).sort())
    for (const [code, { footer, reminder, reminderText }] of Object.entries(mailWords)) {
      expect([code, footer.endsWith(' [Unsubscribe Link]'), reminder !== '']).toEqual([code, true, true])
      expect([code, reminderText.includes('[Full Name]'), reminderText.includes('\n\n[Invite Link]\n\n')]).toEqual([
        code,
        true,
        true,
      ])
    }
    expect(mailWordsFor('constructor').language).toBe('en')
  })
})
