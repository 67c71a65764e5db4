import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad, type Scenario } from './scenario.ts'

/** The number of requests that are aborted at the same time. */
const CONCURRENCY = 100

/**
 * Aborts hundreds of requests under load: in the middle of the request body, directly after the body, or while the
 * reply arrives.
 */
export const aborts = async (options: Options): Promise<Result[]> => [
  await runUnderLoad(options, {}, async (scenario) => {
    const random = seededRandom(options.seed)
    const count = options.short ? 300 : 2_400
    const from = performance.now()
    for (let sent = 0; sent < count; sent += CONCURRENCY)
      await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => abort(scenario, sent + index, random)))
    const recoveries = [await scenario.load.recovered(from, performance.now(), 30_000)]
    return { fault: `${count} requests aborted by their clients`, recoveries }
  }),
]

async function abort(
  { servers, auth, target, load, options }: Scenario,
  number: number,
  random: () => number,
): Promise<void> {
  const socket = connect(servers[0]!.port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const credentials = `Host: localhost\r\nAuthorization: Basic ${btoa(auth)}\r\n`
  const path = `/api/v3/surveys/${target.id}/responses/`
  if (number % 3 === 0) socket.write(`GET ${path}?page_size=500 HTTP/1.1\r\n${credentials}\r\n`)
  else {
    const marker = `${options.seed}-aborted-${number}`
    const form = `marker=${marker}&_completed=1`
    const isWhole = number % 3 === 1
    // If the request was sent completely, the client does not know whether the service has stored the response.
    if (isWhole) load.written.set(marker, { marker, acknowledged: false, unknownNotes: new Set() })
    socket.write(
      `POST ${path} HTTP/1.1\r\n${credentials}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${isWhole ? form : form.slice(0, Math.floor(random() * form.length))}`,
    )
  }
  await pause(random() * 30)
  socket.destroy()
}
