import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { limitBodyTime, receiveSlowly } from '../../src/lib/deadlines.ts'

/** A server whose path `/files` accepts slow bodies. */
const server = createServer(async (req, res) => {
  limitBodyTime(req, 300)
  try {
    await (req.url === '/files' ? receiveSlowly(req, 10_000, () => buffer(req)) : buffer(req))
    res.end('received')
  } catch {
    res.destroy()
  }
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Sends half of a body. Sends the other half after the time limit, or never. @returns the reply */
async function sendSlowly(path: string, isComplete: boolean): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  const reply = text(socket).catch(() => '')
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\na`)
  await wait(900)
  if (isComplete) socket.write('b')
  return reply
}

describe('the time limit of a body', () => {
  it('closes the connection of a body that arrives too slowly, but not of a slow file', async () => {
    const replies = await Promise.all([sendSlowly('/', false), sendSlowly('/files', true)])
    expect(replies).toEqual(['', expect.stringContaining('received')])
  })
})
