import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { mailWords, mailWordsFor } from '../../src/domain/email/language.ts'
import { remind } from '../../src/domain/email/reminders.ts'
import { languages } from '../../src/domain/text/catalog.ts'
import { createDraft, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
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

/** Creates a survey in a language and sends an invitation to it. @returns the ID of the email */
async function invite(code: string): Promise<number> {
  const languages = [
    { code: 'en', name: 'English', isDefault: code === 'en' },
    ...(code === 'en' ? [] : [{ code, name: code, isDefault: true }]),
  ]
  const survey = await makeSurvey(ann, { title: `In ${code}`, languages })
  const bob = { name: 'Bob', email: `bob@${code.toLowerCase()}.example.net` }
  const email = await createDraft(ann, survey, [{ create: bob }], { subject: 'Thé ?' })
  await sendDraft(ann, email)
  await world.runJobs()
  return email
}

describe('the text that Canvass adds to an email', () => {
  test('is in the language of the survey, as plain text and as HTML', async () => {
    await invite('fr-CA')
    const [{ text, html }] = mailbox.messages as [(typeof mailbox.messages)[0]]
    expect(text).toContain('Vous recevez cet e-mail car')
    expect(html).toMatch(/<div lang="fr" style="[^"]*"><p>Vous recevez/)
  })

  test('links to an unsubscribe page in the language of the survey, whatever the browser prefers', async () => {
    await invite('de')
    const [, link] = /<(.+)>/.exec(mailbox.messages[0]!.headers['list-unsubscribe']!)!
    expect(link).toMatch(/\?lang=de$/)
    const headers = { 'accept-language': 'es' }
    expect((await world.anonymous.get(link!, { headers })).text).toContain(languages.de!.unsubscribeQuestion)
    expect((await world.anonymous.post(link!, { headers })).text).toContain(languages.de!.unsubscribedTitle)
    const unknownLanguage = link!.replace('lang=de', 'lang=constructor')
    expect((await world.anonymous.get(unknownLanguage, { headers })).text).toContain(languages.es!.unsubscribeQuestion)
  })

  test('includes the default text of a reminder, in the language of the survey', async () => {
    const email = await invite('it')
    await ann.act((context) => remind(context, email, {}))
    await world.runJobs()
    const { text, headers } = mailbox.messages[1]!
    expect(headers.subject).toContain('Promemoria')
    expect(text).toContain('qualche giorno fa l’abbiamo invitata')
    expect(text).toContain('?code=')
    expect(text).toContain('Riceve questa e-mail')
  })

  test('is English for languages without a translation', async () => {
    await invite('sv')
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
