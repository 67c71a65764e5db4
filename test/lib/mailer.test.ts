import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createMailer, type Mailer } from '../../src/lib/mailer.ts'

const letter = {
  messageId: '<1@example.org>',
  date: new Date('2026-01-01T00:00:00Z'),
  from: { name: 'Ann', address: 'ann@example.org' },
  to: { name: 'Bob', address: 'bob@example.net' },
  subject: 'Tea',
  text: '.\nA line that begins with a dot',
}
const opened: { server: SMTPServer; mailer: Mailer }[] = []
afterEach(async () => {
  for (const { server, mailer } of opened.splice(0)) {
    await mailer.close()
    await new Promise<void>((resolve) => server.close(resolve))
  }
})

/** A mail server of its own and a mailer that sends to it. */
async function open(options: SMTPServerOptions, credentials = '', patience = {}) {
  const taken: string[] = []
  const server = new SMTPServer({
    logger: false,
    closeTimeout: 100,
    onData(stream, { secure }, done) {
      let text = secure ? 'secure ' : ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        taken.push(text)
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const mailer = createMailer(`smtp://${credentials}127.0.0.1:${port}/?tls.rejectUnauthorized=false`, patience)
  opened.push({ server, mailer })
  return { mailer, taken }
}

describe('createMailer', () => {
  test('STARTTLS and credentials of the address', async () => {
    const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, { secure }, done) =>
      secure && username === 'us er' && password === 'p@ss' ? done(null, { user: 1 }) : done(new Error('no'))
    const { mailer, taken } = await open({ onAuth }, 'us%20er:p%40ss@')
    await mailer.send(letter)
    expect(taken).toEqual([expect.stringMatching(/^secure .*\r\n\.\r\nA line that begins with a dot\r\n$/s)])
    const wrong = await open({ onAuth }, 'user:wrong@')
    await expect(wrong.mailer.send(letter)).rejects.toMatchObject({ failure: 'unreachable' })
    expect(wrong.taken).toEqual([])
  })

  test('a signal that aborts before the end takes the letter back', async () => {
    const stop = new AbortController()
    const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _, done) => {
      if (address === letter.to.address) stop.abort()
      done()
    }
    const { mailer, taken } = await open({ authOptional: true, onRcptTo })
    await expect(mailer.send(letter, stop.signal)).rejects.toMatchObject({ name: 'MailError' })
    await mailer.send({ ...letter, messageId: '<2@example.org>', to: { name: 'Eve', address: 'eve@example.net' } })
    expect(taken).toEqual([expect.stringContaining('<2@')])
  })

  test('a server that refuses, and one that says nothing', async () => {
    const reply = (responseCode: number) => Object.assign(new Error('no'), { responseCode })
    for (const [code, failure] of [
      [550, 'refused'],
      [452, 'later'],
    ] as const) {
      const { mailer } = await open({ authOptional: true, onRcptTo: (_, __, done) => done(reply(code)) })
      await expect(mailer.send(letter)).rejects.toMatchObject({ failure })
    }
    const silent = await open({ authOptional: true, onConnect: () => undefined }, '', { greetingTimeout: 100 })
    await expect(silent.mailer.send(letter)).rejects.toMatchObject({ failure: 'unreachable' })
  })
})
