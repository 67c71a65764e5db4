import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type ImapMailbox, type MailboxSettings, openImapMailbox } from '../../src/lib/imap-mailbox.ts'
import { createLog } from '../../src/lib/log.ts'
import { listenForBounces } from '../../src/worker/bounce-listener.ts'
import { tasks } from '../../src/worker/tasks.ts'
import type { Worker } from '../../src/worker/worker.ts'
import { bounceNotification, createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useImapServer } from '../support/imap-server.ts'
import { useMailbox } from '../support/mailbox.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type Person, useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const imap = useImapServer()
const socket = path.join(tmpdir(), `canvass-lmtp-${randomUUID()}`)
const settings = { BOUNCE_ADDRESS: 'bounces@example.org', BOUNCE_LMTP: socket }
let worker: Worker
// Before the application closes.
afterAll(async () => {
  await worker.stop()
  expect(existsSync(socket)).toBe(false)
})
const world = useWorld({ smtp: () => mailbox.url, realTime: true, settings })

let ann: Person
let survey: { id: number }
beforeAll(async () => {
  // The socket of a process that was killed.
  const listen = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', listen]), 'exit')
  expect(existsSync(socket)).toBe(true)
  worker = await world.application.startWorker()
  ann = await world.person()
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
})

let count = 0
/** Sends an email to a new contact. @returns the ID of the email, and the message */
async function send(name: string) {
  const address = `${name}${++count}@example.net`
  const email = await createDraft(ann, survey.id, [{ create: { name: `${name} ${count}`, email: address } }])
  await sendDraft(ann, email)
  await waitUntil(async () => (await emailProgress(ann, email)).status === 'sent', 30_000)
  return { email, message: mailbox.sentTo(address)[0]! }
}
const failed = async (email: number) => (await emailProgress(ann, email)).failed

describe('a mailbox of returned messages', () => {
  const mailboxOf = (fields: Partial<MailboxSettings> = {}, credentials = 'ann:secret', folder = 'INBOX') =>
    openImapMailbox({ url: `imap://${credentials}@127.0.0.1:${imap.port}/${folder}`, ...fields })
  /** Runs the job that reads the mailbox. */
  const readWith = (bounceMailbox: ImapMailbox) => {
    const context = world.context()
    return tasks['read-bounces'](
      { ...context, services: { ...context.services, bounceMailbox } },
      {},
      new AbortController().signal,
    )
  }
  beforeEach(() => {
    imap.folders = { INBOX: [], Bounces: [] }
    imap.commands = []
  })

  test('is read; messages about invitations are marked as read, and all others stay unread', async () => {
    const [gone, late] = [await send('gone'), await send('late')]
    imap.add('From: bob@example.net\r\n\r\nHello')
    imap.add(bounceNotification(gone.message.from))
    imap.add(bounceNotification(late.message.from, '4.4.1', 'delayed'))
    const box = mailboxOf()
    await readWith(box)
    expect(imap.folders.INBOX!.map(({ isSeen }) => isSeen)).toEqual([false, true, true])
    expect([await failed(gone.email), await failed(late.email)]).toEqual([1, 0])
    // The message of a person is not read again.
    imap.commands = []
    await readWith(box)
    expect(imap.commands.filter((command) => command.includes('FETCH'))).toEqual([])
  })

  test('can have a folder for messages that were read; a message that is too early stays', async () => {
    const sent = await send('gone')
    const { pool } = world.application.services
    const id = Number(/\+(\d+)-/.exec(sent.message.from)![1])
    await pool.query(`update email_message set state = 'sending' where id = $1`, [id])
    imap.add(bounceNotification(sent.message.from, '5.1.1', 'failed', 'a long line\r\n'.repeat(200_000)))
    await readWith(mailboxOf({ moveTo: 'Bounces' }))
    expect(imap.folders.INBOX).toHaveLength(1)
    await pool.query(`update email_message set state = 'sent' where id = $1`, [id])
    await readWith(mailboxOf({ moveTo: 'Bounces' }))
    expect([imap.folders.INBOX!.length, imap.folders.Bounces!.length]).toEqual([0, 1])
    expect(await failed(sent.email)).toBe(1)
    expect(imap.commands.join()).not.toMatch(/expunge|deleted\)/i)
  })

  test.each([
    ['login', () => mailboxOf({}, 'ann:wrong')],
    ['folder', () => mailboxOf({}, 'ann:secret', 'Nowhere')],
    ['move folder', () => mailboxOf({ moveTo: 'Nowhere' })],
    ['connection', () => openImapMailbox({ url: 'imap://ann:secret@127.0.0.1:1/INBOX' })],
  ])('that cannot be used names the fault: %s', async (fault, open) => {
    const sent = await send('gone')
    imap.add(bounceNotification(sent.message.from))
    const error = await readWith(open()).then(
      () => undefined,
      (reason) => reason,
    )
    expect(error).toMatchObject({ name: 'MailboxError', fault })
    expect(error.message).not.toContain('secret')
    await expect(open().check()).rejects.toMatchObject({ fault })
    expect(await mailboxOf().check()).toBe(1)
  })
})

describe('the ways in', () => {
  /** Sends lines to the LMTP listener, each after the reply to the one before. @returns the last reply */
  async function lmtp(...commands: string[]): Promise<string> {
    const connection = connect(socket)
    let reply = ''
    const next = async () => {
      reply = ''
      while (!/^\d{3} .*\r\n$/m.test(reply)) reply += (await once(connection, 'data'))[0]
    }
    await next()
    for (const command of commands) {
      connection.write(`${command}\r\n`)
      await next()
    }
    connection.end('QUIT\r\n')
    return reply
  }
  const deliver = (recipient: string, source: string) =>
    lmtp('LHLO mx.example.net', 'MAIL FROM:<>', `RCPT TO:<${recipient}>`, 'DATA', `${source}\r\n.`)

  test('LMTP: records a bounce, and accepts other mail without an effect', async () => {
    const { message, email } = await send('gone')
    expect(await deliver('bounces@example.org', 'From: bob@example.net\r\n\r\nHello')).toMatch(/^250 .*foreign/)
    expect(await failed(email)).toBe(0)
    expect(await deliver(message.from, bounceNotification('postmaster@example.org'))).toMatch(/^250 .*bounced/)
    expect(await failed(email)).toBe(1)
  })

  test('LMTP: reads the beginning of a message of 5 MB, and refuses many recipients', async () => {
    const { message } = await send('gone')
    const long = bounceNotification(
      message.from,
      '5.1.1',
      'failed',
      'a line of the returned message\r\n'.repeat(160_000),
    )
    expect(await deliver('bounces@example.org', long)).toMatch(/^250 .*bounced/)
    const many = Array.from({ length: 21 }, (_, index) => `RCPT TO:<b${index}@example.org>`)
    expect(await lmtp('LHLO mx', 'MAIL FROM:<>', ...many)).toMatch(/^452 /)
  })

  test('LMTP: a second worker takes over when the first one stops', async () => {
    const place = { path: `${socket}-shared` }
    const log = createLog('silent')
    const first = listenForBounces(place, world.context, log)
    await waitUntil(() => existsSync(place.path), 10_000)
    const second = listenForBounces(place, world.context, log, 20)
    const greeting = async () => String((await once(connect(place.path), 'data'))[0])
    expect(await greeting()).toMatch(/^220 /)
    await first.stop()
    await waitUntil(() => existsSync(place.path), 10_000)
    expect(await greeting()).toMatch(/^220 /)
    await second.stop()
    expect(existsSync(place.path)).toBe(false)
  })

  test('canvass bounce: reads a message from a pipe, prints nothing, and asks to try again without a database', async () => {
    const { message, email } = await send('gone')
    const run = async (source: string, env: Record<string, string>, ...args: string[]) => {
      const settingsOf = {
        PATH: process.env.PATH!,
        SECRET_KEY: world.secretKey,
        ...settings,
        DATABASE_URL: world.databaseUrl,
        ...env,
      }
      const child = spawn(process.execPath, ['src/main.mjs', 'bounce', ...args], { env: settingsOf })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output += chunk
        })
      child.stdin.end(source)
      const [code] = await once(child, 'close')
      return [code, output]
    }
    expect(await run('Hello', {})).toEqual([0, ''])
    expect(await run(bounceNotification('root@example.org'), { ORIGINAL_RECIPIENT: message.from })).toEqual([0, ''])
    expect(await failed(email)).toBe(1)
    const other = await send('gone')
    expect(await run(bounceNotification('root@example.org'), {}, other.message.from)).toEqual([0, ''])
    expect(await failed(other.email)).toBe(1)
    const [code, output] = await run('Hello', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect(code).toBe(75)
    expect(output).not.toBe('')
  }, 120_000)
})
