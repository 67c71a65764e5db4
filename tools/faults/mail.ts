import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** A mail server that accepts all messages and records the Message-IDs for each address in order. */
export interface MailServer {
  url: string
  messageIds: Map<string, string[]>
  /** Returns the number of received messages, including duplicates. */
  count(): number
  close(): Promise<void>
}

/**
 * Maximum delay before the server accepts a recipient, and before it accepts a message, in milliseconds. The delays
 * have two purposes. Sending must take longer than all kills together. Some kills must occur before the server has
 * accepted a recipient, and others afterwards.
 */
const MAX_DELAY_MS = 400

/** Returns the delays of a mail server. @param random returns numbers in [0, 1) */
export const randomDelays = (random: () => number) => () => pause(random() * MAX_DELAY_MS)

/**
 * Starts a mail server.
 * @param delay is awaited before the server accepts an address, and before it accepts a message to this address
 */
export async function startMailServer(delay: (address: string) => Promise<unknown>): Promise<MailServer> {
  const messageIds = new Map<string, string[]>()
  let count = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, done) => void delay(address).then(() => done()),
    onData(stream, { envelope }, done) {
      let head = ''
      stream.on('data', (chunk) => {
        if (head.length < 8_000) head += chunk
      })
      stream.on('end', async () => {
        const address = envelope.rcptTo[0]!.address
        const messageId = /^message-id: (\S+)/im.exec(head)?.[1] ?? 'none'
        messageIds.set(address, [...(messageIds.get(address) ?? []), messageId])
        count += 1
        await delay(address)
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    messageIds,
    count: () => count,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
