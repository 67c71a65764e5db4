import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends raw bytes over a new connection. @returns the status and body of the reply */
export async function sendRaw(base: string, request: string | Uint8Array): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  let reply = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    reply += chunk
  })
  socket.write(request)
  await once(socket, 'close')
  const end = reply.indexOf('\r\n\r\n')
  return { status: Number(reply.split(' ', 2)[1]), body: reply.slice(end + 4) }
}
