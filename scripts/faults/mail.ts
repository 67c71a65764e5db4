import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** A mail server that takes everything, and remembers which Message-IDs each address got, in order. */
export interface MailServer {
  url: string
  taken: Map<string, string[]>
  /** Messages so far, repeats too. */
  count(): number
  close(): Promise<void>
}

/**
 * The longest delay before it accepts a recipient, and again before it accepts a message, in milliseconds: a send has to last for
 * all kills, and a killed worker leaves messages in both states.
 */
const MAX_DELAY_MS = 400

/** @param random draws each delay */
export async function startMailServer(random: () => number): Promise<MailServer> {
  const taken = new Map<string, string[]>()
  let count = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onRcptTo: (_address, _session, done) => void pause(random() * MAX_DELAY_MS).then(() => done()),
    onData(stream, { envelope }, done) {
      let head = ''
      stream.on('data', (chunk) => {
        if (head.length < 8_000) head += chunk
      })
      stream.on('end', async () => {
        const address = envelope.rcptTo[0]!.address
        const messageId = /^message-id: (\S+)/im.exec(head)?.[1] ?? 'none'
        taken.set(address, [...(taken.get(address) ?? []), messageId])
        count += 1
        await pause(random() * MAX_DELAY_MS)
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    taken,
    count: () => count,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
