import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld, type World } from '../support/world.ts'

const mailbox = useMailbox()
const smtp = () => mailbox.url
const named = useWorld({ smtp, settings: { MAIL_FROM: 'Acme Surveys <surveys@acme.example>' } })
const trusting = useWorld({ smtp, settings: { MAIL_ALLOW_SENDERS: 'on' } })

/** The message that somebody gets who is invited with this sender, and the e-mail as the API shows it. */
async function invited(world: World, address: string, sender: string) {
  const ann = await world.person()
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Lunch' } })).body
  const json = { name: 'Bob', email: address, subject: 'Lunch?', sender, message: '[Invite Link]' }
  expect((await ann.post(`${survey.uri}send-survey/`, { json })).status).toBe(200)
  await world.runJobs()
  return mailbox.sentTo(address)[0]!
}

describe('the sender of an e-mail', () => {
  test('is the operator, with the name of who wrote it; answers go to them', async () => {
    const { from, headers } = await invited(named, 'one@example.net', 'CEO <ceo@bigbank.example>')
    expect([from, headers.from, headers['reply-to']]).toEqual([
      'surveys@acme.example',
      'CEO via Acme Surveys <surveys@acme.example>',
      'CEO <ceo@bigbank.example>',
    ])
    const bare = await invited(named, 'two@example.net', 'ann@example.org')
    expect([bare.headers.from, bare.headers['reply-to']]).toEqual([
      'Acme Surveys <surveys@acme.example>',
      'ann@example.org',
    ])
  })

  test('is the address that was given where the operator allows it', async () => {
    const { from, headers } = await invited(trusting, 'three@example.net', 'Ann <ann@example.org>')
    expect([from, headers.from, headers['reply-to']]).toEqual(['ann@example.org', 'Ann <ann@example.org>', undefined])
  })

  test('is no-reply at the host of BASE_URL unless MAIL_FROM says otherwise, and that is checked', () => {
    const read = (MAIL_FROM?: string) =>
      readConfig({ SECRET_KEY: 's'.repeat(32), BASE_URL: 'https://surveys.example.org', MAIL_FROM }).mailFrom
    expect(read()).toEqual({ name: 'Canvass', address: 'no-reply@surveys.example.org' })
    expect(read('surveys@example.org')).toEqual({ name: 'Canvass', address: 'surveys@example.org' })
    expect(() => read('Acme')).toThrow('MAIL_FROM must have the form')
  })
})
