import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { invitePerson } from '../../src/domain/email/commands.ts'
import { useMailbox } from '../support/mailbox.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld, type World } from '../support/world.ts'

const mailbox = useMailbox()
const smtp = () => mailbox.url
const withSender = useWorld({ smtp, settings: { MAIL_FROM: 'Acme Surveys <surveys@acme.example>' } })
const withAnySender = useWorld({ smtp, settings: { MAIL_ALLOW_SENDERS: 'on' } })

/** Invites a person by email. @returns the message that arrives */
async function invited(world: World, email: string, sender: string) {
  const ann = await world.person()
  const survey = await makeSurvey(ann)
  const draft = { subject: 'Lunch?', sender, message: '[Invite Link]' }
  await ann.act((context) => invitePerson(context, { survey }, draft, { name: 'Bob', email }))
  await world.runJobs()
  return mailbox.sentTo(email)[0]!
}

describe('the sender of an email', () => {
  test('is the address of the operator with the name of the author, whose address is in Reply-To', async () => {
    const { from, headers } = await invited(withSender, 'one@example.net', 'CEO <ceo@bigbank.example>')
    expect([from, headers.from, headers['reply-to']]).toEqual([
      'surveys@acme.example',
      'CEO via Acme Surveys <surveys@acme.example>',
      'CEO <ceo@bigbank.example>',
    ])
    const bare = await invited(withSender, 'two@example.net', 'ann@example.org')
    expect([bare.headers.from, bare.headers['reply-to']]).toEqual([
      'Acme Surveys <surveys@acme.example>',
      'ann@example.org',
    ])
  })

  test('is the address of the author with MAIL_ALLOW_SENDERS=on', async () => {
    const { from, headers } = await invited(withAnySender, 'three@example.net', 'Ann <ann@example.org>')
    expect([from, headers.from, headers['reply-to']]).toEqual(['ann@example.org', 'Ann <ann@example.org>', undefined])
  })

  test('is no-reply at the host of BASE_URL without MAIL_FROM, and an invalid MAIL_FROM is rejected', () => {
    const read = (MAIL_FROM?: string) =>
      readConfig({ SECRET_KEY: 's'.repeat(32), BASE_URL: 'https://surveys.example.org', MAIL_FROM }).mailFrom
    expect(read()).toEqual({ name: 'Canvass', address: 'no-reply@surveys.example.org' })
    expect(read('surveys@example.org')).toEqual({ name: 'Canvass', address: 'surveys@example.org' })
    expect(() => read('Acme')).toThrow('MAIL_FROM must have the form')
  })
})
