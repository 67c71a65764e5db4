import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import MailComposer from 'nodemailer/lib/mail-composer'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createMailer, type Mailer, type MailMessage, type MailServer, mailOf } from '../../src/lib/mailer.ts'

const message = {
  messageId: '<1@example.org>',
  date: new Date('2026-01-01T00:00:00Z'),
  from: { name: 'Ann', address: 'ann@example.org' },
  to: { name: 'Bob', address: 'bob@example.net' },
  subject: 'Tea',
  text: '.\nA line that begins with a dot',
}
const connections: { server: SMTPServer; mailer: Mailer }[] = []
afterEach(async () => {
  for (const { server, mailer } of connections.splice(0)) {
    await mailer.close()
    await new Promise<void>((resolve) => server.close(resolve))
  }
})

/** Starts a mail server and a mailer that sends to it. */
async function open(
  options: SMTPServerOptions,
  credentials = '',
  timeouts = {},
  { host = '127.0.0.1', ...settings }: Partial<MailServer> & { host?: string } = {},
) {
  const received: string[] = []
  const server = new SMTPServer({
    logger: false,
    closeTimeout: 100,
    onData(stream, { secure }, done) {
      let text = secure ? 'secure ' : ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        received.push(text)
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const mailer = createMailer({ url: `smtp://${credentials}${host}:${port}`, tls: 'auto', ...settings }, timeouts)
  connections.push({ server, mailer })
  return { mailer, received }
}

describe('createMailer', () => {
  test('uses STARTTLS and the credentials of the URL', async () => {
    const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, { secure }, done) =>
      secure && username === 'us er' && password === 'p@ss' ? done(null, { user: 1 }) : done(new Error('no'))
    const { mailer, received } = await open({ onAuth }, 'us%20er:p%40ss@')
    await mailer.send(message)
    expect(received).toEqual([expect.stringMatching(/^secure .*\r\n\.\r\nA line that begins with a dot\r\n$/s)])
    const wrong = await open({ onAuth }, 'user:wrong@')
    await expect(wrong.mailer.send(message)).rejects.toMatchObject({ failure: 'misconfigured' })
    expect(wrong.received).toEqual([])
  })

  const html = '<!doctype html>\n<p>Grüße = ☕</p>\n'
  test.each<[string, Partial<MailMessage>]>([
    ['plain text', {}],
    ['text without a final line break', { text: 'one line' }],
    ['an empty text', { text: '' }],
    ['accents', { text: 'Grüße\n\n  von Änn \t\n.\n', subject: 'Grüße '.repeat(20), html }],
    ['another script and emoji', { text: 'Приглашение 😀\n'.repeat(40), html: 'Приглашение 😀'.repeat(400) }],
    ['a long line', { text: 'a '.repeat(3_000), html: `<p>${'b'.repeat(5_000)}</p>` }],
    ['a carriage return', { text: 'one\rtwo\r\nthree\n', html: `${html}one\rtwo\r\n` }],
    ['an image', { html, images: [{ cid: 'a@b', type: 'image/png', bytes: Buffer.from(html.repeat(50)) }] }],
    ['headers', { html, replyTo: { name: 'Änn', address: 'a@example.org' }, headers: { 'List-Unsubscribe': '<x:y>' } }],
  ])('encodes a message with %s as nodemailer does', async (_, content) => {
    const { mailer, received } = await open({ authOptional: true, disabledCommands: ['STARTTLS'] })
    const sent = { ...message, ...content }
    await mailer.send(sent)
    const composer = new MailComposer(mailOf(sent) as ConstructorParameters<typeof MailComposer>[0])
    const composed = (await composer.compile().build()).toString().replace(/\r\n|\r|\n/g, '\r\n')
    const unified = (source: string) => source.replace(/_NmP-[0-9a-f]+-/g, '_NmP-').replace(/(?:\r\n)?$/, '')
    expect(unified(received[0]!)).toBe(unified(composed))
  })

  test('does not send a message if the signal is aborted before the whole message was transferred', async () => {
    const stop = new AbortController()
    const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _, done) => {
      if (address === message.to.address) stop.abort()
      done()
    }
    const { mailer, received } = await open({ authOptional: true, onRcptTo })
    await expect(mailer.send(message, stop.signal)).rejects.toMatchObject({ name: 'MailError' })
    await mailer.send({ ...message, messageId: '<2@example.org>', to: { name: 'Eve', address: 'eve@example.net' } })
    expect(received).toEqual([expect.stringContaining('<2@')])
  })

  test('reports a server that rejects the recipient or never replies', async () => {
    const reply = (responseCode: number) => Object.assign(new Error('no'), { responseCode })
    for (const [code, failure] of [
      [550, 'rejected'],
      [452, 'deferred'],
    ] as const) {
      const { mailer } = await open({ authOptional: true, onRcptTo: (_, __, done) => done(reply(code)) })
      await expect(mailer.send(message)).rejects.toMatchObject({ failure })
    }
    const silent = await open({ authOptional: true, onConnect: () => undefined }, '', { greetingTimeout: 100 })
    await expect(silent.mailer.send(message)).rejects.toMatchObject({ failure: 'unreachable' })
  })

  test('greets with the name of the settings', async () => {
    let name = ''
    const onMailFrom: SMTPServerOptions['onMailFrom'] = (_, { hostNameAppearsAs }, done) => {
      name = String(hostNameAppearsAs)
      done()
    }
    const { mailer } = await open({ authOptional: true, onMailFrom }, '', {}, { name: 'surveys.example.org' })
    await mailer.send(message)
    expect(name).toBe('surveys.example.org')
  })

  test('uses TLS as the settings say', async () => {
    const send = async (options: SMTPServerOptions, settings: Partial<MailServer> & { host?: string }) => {
      const { mailer, received } = await open({ authOptional: true, ...options }, '', {}, settings)
      return mailer.send(message).then(
        () => (received[0]!.startsWith('secure ') ? 'secure' : 'plain'),
        ({ reason }) => reason,
      )
    }
    const plain = { disabledCommands: ['STARTTLS'] }
    expect(await send({}, { tls: 'auto' })).toBe('secure')
    expect(await send({}, { tls: 'off' })).toBe('plain')
    expect(await send({}, { tls: 'required' })).toBe('certificate')
    expect(await send({}, { tls: 'unverified' })).toBe('secure')
    expect(await send(plain, { tls: 'auto' })).toBe('plain')
    expect(await send(plain, { tls: 'required' })).toBe('encryption')
  })

  test('sends nothing without a login if there are credentials', async () => {
    const { mailer, received } = await open({ authOptional: true, disabledCommands: ['AUTH'] }, 'user:secret@')
    await expect(mailer.send(message)).rejects.toMatchObject({ failure: 'misconfigured' })
    expect(received).toEqual([])
  })
})
