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

/** How long it thinks about a message, in milliseconds: long enough that a killed worker leaves some in that state. */
const ACCEPT_MS = 15

export async function startMailServer(): Promise<MailServer> {
  const taken = new Map<string, string[]>()
  let count = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
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
        await pause(ACCEPT_MS)
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
