import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes as they are over a socket of its own. @returns status and body of the answer */
export async function sendRaw(base: string, request: string | Uint8Array): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
  })
  socket.write(request)
  await once(socket, 'close')
  const end = answer.indexOf('\r\n\r\n')
  return { status: Number(answer.split(' ', 2)[1]), body: answer.slice(end + 4) }
}
