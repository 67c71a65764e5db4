import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { SMTPServer } from 'smtp-server'
import type { Finding } from '../../src/lib/finding.ts'
import type { Worker } from '../../src/worker/worker.ts'
import { createDraft } from '../support/emails.ts'
import { useImapServer } from '../support/imap-server.ts'
import { freePort } from '../support/process.ts'
import { runCanvass } from '../support/run-canvass.ts'
import { useWorld } from '../support/world.ts'

const lmtpPort = await freePort()
const BOUNCES = { BOUNCE_ADDRESS: 'bounces@example.org', BOUNCE_LMTP: String(lmtpPort) }
const world = useWorld({ realTime: true, settings: BOUNCES })
const imap = useImapServer()
/** The replies of the mail server to a sender and a recipient; absent: it accepts. */
const replies: { sender?: RegExp; recipient?: RegExp; text?: string } = {}
const answer = (address: string, pattern: RegExp | undefined, done: (error?: Error | null) => void) =>
  done(
    pattern?.test(address)
      ? Object.assign(new Error(replies.text!.slice(4)), { responseCode: Number(replies.text!.slice(0, 3)) })
      : null,
  )
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH'],
  onMailFrom: ({ address }, _, done) => answer(address, replies.sender, done),
  onRcptTo: ({ address }, _, done) => answer(address, replies.recipient, done),
})
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
beforeAll(async () => {
  mail.on('error', () => undefined)
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise<void>((resolve) => mail.close(resolve)))
beforeEach(() => void Object.assign(replies, { sender: undefined, recipient: undefined, text: undefined }))

/** Runs the doctor. @returns its exit code, and its findings about mail without those that are ok */
async function diagnose(settings: Record<string, string> = {}, credentials = ''): Promise<[number, Finding[]]> {
  const { code, output } = await runCanvass(
    {
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      BASE_URL: world.base,
      DATA_DIR: world.dataDir,
      SMTP_URL: `smtp://${credentials}127.0.0.1:${portOf(mail.server)}`,
      ...settings,
    },
    'doctor',
    '--json',
  )
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  return [code, findings.filter(({ check, status }) => status !== 'ok' && /^mail\.|SMTP|BOUNCE/.test(check))]
}

const found = (check: string, message: RegExp, mend: RegExp) =>
  expect.objectContaining({
    check,
    status: 'error',
    message: expect.stringMatching(message),
    mend: expect.stringMatching(mend),
  })
const imapUrl = (password = 'secret', folder = 'INBOX') => `imap://ann:${password}@127.0.0.1:${imap.port}/${folder}`

describe('canvass doctor', () => {
  it('names five mistakes of one installation, each with its mend', async () => {
    const ann = await world.person()
    const { id } = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
    const email = await createDraft(ann, id, [{ create: { name: 'Bob', email: 'bob@example.net' } }])
    const { pool } = world.application.services
    const hold = { failure: 'refused', reason: 'relay', reply: '554 5.7.1 Relay access denied' }
    await pool.query(`update email set status = 'scheduled', hold = $2 where id = $1`, [email, JSON.stringify(hold)])
    await pool.query(`update email_message set state = 'queued' where email_id = $1`, [email])
    Object.assign(replies, { sender: /^bounces\+/, text: '553 5.7.1 Sender address rejected: not owned by user ann' })
    const [code, findings] = await diagnose({
      ...BOUNCES,
      SMTP_EHLO_NAME: 'our server',
      BOUNCE_IMAP_URL: imapUrl('wrong'),
    })
    expect(findings).toEqual([
      found('settings.SMTP_EHLO_NAME', /must be a host name such as surveys\.example\.org/, /Correct SMTP_EHLO_NAME/),
      found('mail.waiting', /1, with 1 waiting messages.*Relay access denied/, /mynetworks.*continues automatically/),
      found(
        'mail.bounces',
        /MAIL FROM:<bounces\+0-0+@example\.org> with: 553 5\.7\.1/,
        /Let the login .* remove BOUNCE_ADDRESS/,
      ),
      found(
        'mail.lmtp',
        /Nothing takes bounces at 127\.0\.0\.1:.*ECONNREFUSED/,
        /Start "canvass serve" with WORKER=on/,
      ),
      found(
        'mail.mailbox',
        /The mailbox at 127\.0\.0\.1 cannot be read: .*wrong password/,
        /user name and password in BOUNCE_IMAP_URL/,
      ),
    ])
    expect(code).toBe(1)
    await pool.query('delete from email where id = $1', [email])
  })

  it('is content with a mail server, a listener and a mailbox that work', async () => {
    const worker: Worker = await world.application.startWorker()
    imap.add('From: bob@example.net\r\n\r\nHello')
    expect((await diagnose({ ...BOUNCES, BOUNCE_IMAP_URL: imapUrl(), BOUNCE_IMAP_MOVE_TO: 'Bounces' }))[1]).toEqual([])
    await worker.stop()
    expect(imap.folders.INBOX).toEqual([expect.objectContaining({ isSeen: false })])
  })

  it.each([
    [
      'the sender',
      {},
      '',
      { sender: /no-reply/, text: '550 5.1.8 Sender address rejected' },
      'mail.acceptance',
      /MAIL FROM.*5\.1\.8/,
      /Set MAIL_FROM/,
    ],
    [
      'relaying',
      {},
      '',
      { recipient: /./, text: '554 5.7.1 Relay access denied' },
      'mail.acceptance',
      /RCPT TO.*Relay/,
      /mynetworks/,
    ],
    [
      'a blocked host',
      {},
      '',
      { recipient: /./, text: '554 5.7.1 Client host blocked' },
      'mail.acceptance',
      /blocked/,
      /unblock/,
    ],
    ['a missing login', {}, 'ann:right@', {}, 'mail.server', /./, /offers a login/],
    ['an unknown certificate', { SMTP_TLS: 'required' }, '', {}, 'mail.server', /certificate/, /SMTP_CA_FILE/],
    ['a missing file', { SMTP_CA_FILE: '/nowhere/ca.pem' }, '', {}, 'settings.SMTP_CA_FILE', /cannot be read/, /./],
    ['a missing password', {}, 'ann@', {}, 'settings.SMTP_URL', /without a password/, /user:password/],
    [
      'an unknown bounce address',
      { BOUNCE_ADDRESS: 'bounces@example.org' },
      '',
      { recipient: /^bounces\+/, text: '550 5.1.1 User unknown' },
      'mail.bounces',
      /RCPT TO:<bounces\+/,
      /recipient_delimiter = \+/,
    ],
    [
      'a reader without an address',
      { BOUNCE_LMTP: '2424' },
      '',
      {},
      'settings.BOUNCE_ADDRESS',
      /BOUNCE_LMTP needs BOUNCE_ADDRESS/,
      /./,
    ],
    [
      'a long bounce address',
      { BOUNCE_ADDRESS: `${'b'.repeat(25)}@example.org` },
      '',
      {},
      'settings.BOUNCE_ADDRESS',
      /at most 24/,
      /./,
    ],
    [
      'a port that is none',
      { ...BOUNCES, BOUNCE_LMTP: 'localhost' },
      '',
      {},
      'settings.BOUNCE_LMTP',
      /127\.0\.0\.1:2424/,
      /./,
    ],
  ] as const)('names %s', async (_, settings, credentials, refusal, check, message, mend) => {
    Object.assign(replies, refusal)
    const [code, findings] = await diagnose(settings, credentials)
    expect(findings).toEqual([found(check, message, mend)])
    expect(code).toBe(1)
  })

  it('names folders that do not exist, and another program at the port of the listener', async () => {
    const other = createServer((socket) => socket.end('220 another server\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const folders = { BOUNCE_ADDRESS: 'bounces@example.org', BOUNCE_LMTP: `127.0.0.1:${portOf(other)}` }
    expect((await diagnose({ ...folders, BOUNCE_IMAP_URL: imapUrl('secret', 'Nowhere') }))[1]).toEqual([
      found('mail.lmtp', /Another program answers/, /another port/),
      found('mail.mailbox', /no such folder/, /path of BOUNCE_IMAP_URL/),
    ])
    other.close()
    expect(
      (
        await diagnose({
          BOUNCE_ADDRESS: 'bounces@example.org',
          BOUNCE_IMAP_URL: imapUrl(),
          BOUNCE_IMAP_MOVE_TO: 'Nowhere',
        })
      )[1],
    ).toEqual([found('mail.mailbox', /no folder Nowhere/, /Create the folder/)])
  })
})
