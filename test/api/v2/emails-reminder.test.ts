import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { useMailbox } from '../../support/mailbox.ts'
import { pageOf, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
let survey: { id: number; uri: string }
beforeAll(async () => {
  ann = await world.person()
  survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea', form: [pageOf(text('q'))] } })).body
})
beforeEach(() => {
  mailbox.messages = []
})
const linkTo = (name: string) => /http\S+code=\w{8}/.exec(mailbox.sentTo(`${name}@example.net`).at(-1)!.text)![0]

/** Sends an email to new contacts. @returns the email */
async function send(names: string[]) {
  const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
  const email = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
  for (const name of names) await ann.post(email.recipients_uri, { json: { name, email: `${name}@example.net` } })
  await ann.post(email.send_uri)
  await world.runJobs()
  return email
}

describe('remindEmail', () => {
  test('reminds only recipients without a completed response, sends them the same invite code, and uses the default text if the request contains no text [spec 9.6]', async () => {
    const email = await send(['eager', 'slow'])
    await submitForm(world.anonymous, await world.anonymous.get(linkTo('eager')), { q: 'yes' })
    const link = linkTo('slow')
    mailbox.messages = []
    const reply = await ann.post(`${email.uri}reminder/`)
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'scheduled', reminder_of: email.id, subject: 'Reminder: Tea?', num_recipients: 1 },
    })
    expect(reply.body.id).not.toBe(email.id)
    await world.runJobs()
    expect(mailbox.messages.map(({ to }) => to)).toEqual(['slow@example.net'])
    expect(mailbox.messages[0]!.text).toMatch(/^Hi slow,/)
    expect(linkTo('slow')).toBe(link)

    const custom = await ann.post(`${email.uri}reminder/`, {
      form: { subject: 'Again', message: 'Now: [Invite Link]' },
    })
    expect(custom.body).toMatchObject({ subject: 'Again', message: 'Now: [Invite Link]' })
    await submitForm(world.anonymous, await world.anonymous.get(link), { q: 'at last' })
    expect(await ann.post(`${email.uri}reminder/`)).toMatchObject({ status: 409, body: { code: 'nobody_to_remind' } })
  })

  test('rejects a draft, a message without [Invite Link] and an email of another account', async () => {
    const json = { subject: 'Tea?', sender: 'Ann <ann@example.org>', message: 'Come: [Invite Link]' }
    const draft = (await ann.post(`/api/v2/emails/?survey=${survey.id}`, { json })).body
    expect(await ann.post(`${draft.uri}reminder/`)).toMatchObject({ status: 409, body: { code: 'email_not_sent' } })
    const email = await send(['third'])
    expect((await ann.post(`${email.uri}reminder/`, { form: { message: 'Come!' } })).status).toBe(400)
    expect((await (await world.person()).post(`${email.uri}reminder/`)).status).toBe(404)
  })
})

describe('sendSurvey [spec 9.7]', () => {
  const json = { name: 'Zoe', email: 'zoe@example.net', subject: 'Tea?', message: '[Invite Link]' }
  test('finds or creates the contact and sends one invitation', async () => {
    const uri = `${survey.uri}send-survey/`
    const first = await ann.post(uri, { json: { ...json, sender: 'Ann <ann@example.org>' } })
    expect(first).toMatchObject({ status: 200, body: { status: 'scheduled', num_recipients: 1 } })
    const named = { ...json, email: 'ZOE@example.net', sender_name: 'Ann', sender_email: 'ann@example.org' }
    const second = await ann.post(uri, { json: named })
    expect(second.body.sender).toBe('Ann <ann@example.org>')
    await world.runJobs()
    const [one, two] = mailbox.sentTo('zoe@example.net')
    expect(one!.text.split('\n')[0]).toBe(two!.text.split('\n')[0])
    expect((await ann.get('/api/v2/contacts/?search=zoe')).body.total).toBe(1)
  })

  test('returns 400 for an invalid address, a missing sender or a missing link and creates no contact', async () => {
    const uri = `${survey.uri}send-survey/`
    const valid = { ...json, name: 'Yan', email: 'yan@example.net', sender: 'Ann <ann@example.org>' }
    for (const invalid of [{ email: 'yan' }, { sender: undefined }, { message: 'Come' }, { subject: '' }])
      expect((await ann.post(uri, { json: { ...valid, ...invalid } })).status).toBe(400)
    expect((await ann.get('/api/v2/contacts/?search=yan')).body.total).toBe(0)
  })
})
