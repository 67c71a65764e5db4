import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import { readConfig } from '../../src/config.ts'
import { createMailer } from '../../src/lib/mailer.ts'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld } from '../support/world.ts'

const config = (settings: Record<string, string>) =>
  readConfig({ SECRET_KEY: 's'.repeat(32), SMTP_URL: 'smtp://mail.example.org', ...settings })

describe('the greeting of the mail server', () => {
  test.each([
    [{ BASE_URL: 'https://surveys.example.org/a' }, 'surveys.example.org'],
    [{ BASE_URL: 'https://surveys.example.org', MAIL_FROM: 'a@mail.example' }, 'surveys.example.org'],
    [{ BASE_URL: 'http://127.0.0.1:8080', MAIL_FROM: 'Canvass <a@mail.example>' }, 'mail.example'],
    [{ BASE_URL: 'http://canvass:8080', MAIL_FROM: 'a@mail.example' }, 'mail.example'],
    [{ BASE_URL: 'http://[::1]:8080' }, undefined],
    [{ BASE_URL: 'https://surveys.example.org', SMTP_EHLO_NAME: 'out.example.org' }, 'out.example.org'],
  ])('with %j has the name %s', (settings, name) => {
    expect(config(settings).mailServer!.name).toBe(name)
  })
})

describe('SMTP_TLS=off', () => {
  const off = { SMTP_TLS: 'off' }
  test('is an error with a password, unless the mail server is on this machine', () => {
    expect(() => config({ ...off, SMTP_URL: 'smtp://ann:secret@mail.example.org' })).toThrow(
      'SMTP_TLS=off would send the password of SMTP_URL in plain text: remove SMTP_TLS, or the password.',
    )
    expect(config({ ...off, SMTP_URL: 'smtp://ann:secret@127.0.0.1' }).mailServer!.tls).toBe('off')
    expect(config({ ...off, SMTP_URL: 'smtp://mail.example.org' }).mailServer!.tls).toBe('off')
    expect(config({ ...off, SMTP_URL: 'smtps://ann:secret@mail.example.org' }).mailServer!.tls).toBe('off')
  })
})

describe('SMTP_CA_FILE', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'canvass-ca-'))
  const file = (name: string) => path.join(folder, name)
  let server: SMTPServer
  beforeAll(async () => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    const newKey = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '2']
    for (const name of ['ca', 'other'])
      openssl('req', '-x509', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`)
    const signed = [
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-addext',
      'basicConstraints=CA:FALSE',
    ]
    openssl('req', '-x509', ...newKey, ...signed, '-subj', '/CN=localhost', '-keyout', 'key.pem', '-out', 'cert.pem')
    server = new SMTPServer({
      key: readFileSync(file('key.pem')),
      cert: readFileSync(file('cert.pem')),
      logger: false,
      authOptional: true,
      onData: (stream, _, done) => void stream.on('end', done).resume(),
    })
    server.on('error', () => undefined)
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(async () => {
    await new Promise<void>((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true })
  })

  test.each([
    ['the authority of the certificate', { SMTP_CA_FILE: file('ca.pem') }, 'sent'],
    ['another authority', { SMTP_CA_FILE: file('other.pem') }, 'certificate'],
    ['no file', {}, 'certificate'],
  ])('with %s: %j %s', async (_, settings, result) => {
    const { port } = server.server.address() as AddressInfo
    const { mailServer } = config({ ...settings, SMTP_URL: `smtp://localhost:${port}`, SMTP_TLS: 'required' })
    const mailer = createMailer(mailServer!)
    const person = { name: 'Ann', address: 'ann@example.org' }
    const message = {
      messageId: '<1@example.org>',
      date: new Date(0),
      from: person,
      to: person,
      subject: 'Tea',
      text: '',
    }
    const outcome = await mailer.send(message).then(
      () => 'sent',
      ({ reason }) => reason,
    )
    expect(outcome).toBe(result)
    await mailer.close()
  })
})

describe('the log', () => {
  const lines: Record<string, unknown>[] = []
  const mailbox = useMailbox()
  const world = useWorld({
    smtp: () => mailbox.url,
    log: pino({ level: 'warn', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }),
  })
  let ann: Person
  let survey: number
  beforeAll(async () => {
    ann = await world.person()
    survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body.id
  })
  beforeEach(() => {
    lines.length = 0
    mailbox.behaviour = () => 'accept'
    mailbox.senderReply = ''
  })
  let count = 0
  async function send(): Promise<number> {
    const recipients = Array.from({ length: 4 }, () => ({
      create: { name: `Bob ${++count}`, email: `bob${count}@example.net` },
    }))
    const email = await createDraft(ann, survey, recipients)
    await sendDraft(ann, email)
    await world.runJobs()
    return email
  }
  const advance = async () => {
    world.now = new Date(world.now.getTime() + 400 * 60_000)
    await world.runJobs()
  }
  const faults = () =>
    lines
      .filter(({ msg }) => msg === 'mail server does not accept messages')
      .map(({ level, failure, reason, reply }) => [level, failure, reason, reply])

  test('has one line about a refusal, without addresses, until a message is sent or the reason changes', async () => {
    mailbox.behaviour = (address) => `554 5.7.1 <${address}>: Relay access denied`
    const email = await send()
    await advance()
    const relay = [50, 'refused', 'relay', '554 5.7.1 <…> Relay access denied']
    expect(faults()).toEqual([relay])
    mailbox.senderReply = '553 5.7.1 Sender address rejected: not owned by user'
    await advance()
    expect(faults()).toEqual([relay, [50, 'refused', 'sender', '553 5.7.1 Sender address rejected: not owned by user']])
    mailbox.senderReply = ''
    mailbox.behaviour = () => 'accept'
    await advance()
    expect(await emailProgress(ann, email)).toMatchObject({ status: 'sent', sent: 4 })
    mailbox.behaviour = () => '554 5.7.1 Relay access denied'
    await send()
    expect(faults()).toHaveLength(3)
    expect(JSON.stringify(lines)).not.toContain('@example.net')
  })

  test('warns about a limit, and says nothing about one recipient', async () => {
    mailbox.behaviour = () => '550 5.1.1 user unknown'
    await send()
    expect(faults()).toEqual([])
    mailbox.senderReply = '450 4.7.1 Error: too much mail'
    await send()
    expect(faults()).toEqual([[40, 'limited', 'limit', '450 4.7.1 Error: too much mail']])
  })
})
