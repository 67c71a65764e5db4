import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { connectionTo, DatabaseClient } from '../../src/lib/postgres-client.ts'

/** Returns a message of the PostgreSQL protocol (chapter "Message Formats" of its manual). */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const AUTHENTICATED = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const SHUT_DOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'))

const stops: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

/** Starts a server that answers the first message of each connection with the given bytes. @returns its URL */
async function startServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => once(server.close(), 'close'))
  return `postgres://ann@127.0.0.1:${(server.address() as AddressInfo).port}/lunch?sslmode=disable`
}

// An error event without a listener would end the process.
describe('a connection that PostgreSQL ends', () => {
  test('fails in the same packet in which it becomes ready', async () => {
    const url = await startServer((socket) => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUT_DOWN])))
    await expect(new DatabaseClient(connectionTo(url)).connect()).rejects.toThrow(/^terminating connection due to/)
  })

  test('fails at the next query if nothing was running', async () => {
    const sockets: Socket[] = []
    const url = await startServer((socket) => {
      sockets.push(socket)
      socket.write(Buffer.concat([AUTHENTICATED, READY]))
    })
    const client = new DatabaseClient({ ...connectionTo(url), settings: undefined })
    await client.connect()
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    for (const socket of sockets) socket.resetAndDestroy()
    await ended
    await expect(client.query('select 1')).rejects.toThrow(/is not queryable/)
  })
})
