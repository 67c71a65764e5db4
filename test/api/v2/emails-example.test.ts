import { expect, test } from '@jest/globals'
import { useMailbox } from '../../support/mailbox.ts'
import { sendRaw } from '../../support/raw.ts'
import { useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })

test('the email workflow creates a contact and an email, adds recipients without a Content-Type and sends with Content-Length 0 over raw sockets [spec 9.6]', async () => {
  const ann = await world.person()
  const survey = (await ann.post('/api/v2/surveys/', { json: { title: 'Tea' } })).body
  const { host } = new URL(world.base)
  const call = async (path: string, headers: string[], body = '') => {
    const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: ${ann.authorization}`, 'Connection: close']
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    const reply = await sendRaw(world.base, `${[...head, ...headers, length].join('\r\n')}\r\n\r\n${body}`)
    return { status: reply.status, body: JSON.parse(reply.body) }
  }
  const json = ['Content-Type: application/json']

  const created = await call('/api/v2/contacts/', json, JSON.stringify({ name: 'Bob', email: 'bob@example.net' }))
  expect(created.status).toBe(200)
  const contact = created.body.contact.id
  const draft = { subject: 'Tea', sender: 'Ann <ann@example.org', message: 'Hi [Full Name]: [Invite Link]' }
  const email = await call(`/api/v2/emails/?survey=${survey.id}`, json, JSON.stringify(draft))
  expect(email).toMatchObject({ status: 200, body: { status: 'draft' } })
  const { pathname: recipients } = new URL(email.body.recipients_uri)
  expect(await call(recipients, [], `contacts=${contact}`)).toEqual({ status: 200, body: { added: 1 } })
  const { pathname: send } = new URL(email.body.send_uri)
  expect(await call(send, [])).toMatchObject({ status: 200, body: { status: 'scheduled', num_recipients: 1 } })

  await world.runJobs()
  expect(mailbox.messages).toMatchObject([{ to: 'bob@example.net', text: expect.stringMatching(/^Hi Bob: http/) }])
  expect((await ann.get(email.body.uri)).body).toMatchObject({ status: 'sent', num_sent: 1 })
})
