import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from './accounts.ts'
import { startPostgres } from './postgres.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { createTarget, inEnvironment } from './service.ts'
import { submit, subscribe } from './webhooks.ts'

/** Time until a slow subscriber replies, in milliseconds. */
const REPLY_MS = 3_000
/** Time until the slow subscribers have the maximum number of requests in progress, in milliseconds. */
const WARM_UP_MS = 10_000
/** Maximum time until the second account has received all messages, in milliseconds. */
const LIMIT_MS = 120_000

/**
 * Checks that a slow account does not delay another account. The first account has subscribers that accept a message
 * only after three seconds, and more messages than these subscribers can accept. The second account, which has never
 * received a message before, must receive its messages in time.
 */
export const slowAccount = (options: Options): Promise<Result> =>
  inEnvironment(async ({ auth, folder, serve, work, onCleanup }) => {
    const [subscribers, backlog, events] = options.short ? [120, 8, 10] : [200, 40, 40]
    const postgres = await startPostgres(folder)
    onCleanup(postgres.stop)
    const settings = { DATABASE_URL: postgres.url }
    const { base } = await serve({ ...settings, WORKER: 'off' })
    const arrivals = new Map<string, number>()
    let slow = 0
    const receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const at = performance.now()
      if (request.url === '/live') arrivals.set(new URLSearchParams(body).get('id') ?? '', at)
      else {
        slow += 1
        await pause(REPLY_MS)
      }
      response.writeHead(200).end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    onCleanup(async () => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const url = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`
    const slowSurvey = await createTarget(base, auth)
    await subscribe(
      base,
      auth,
      Array.from({ length: subscribers }, (_, index) => url(`/slow/${index}`)),
    )
    const other = await createAccount(base, auth)
    const survey = await createTarget(base, other)
    await subscribe(base, other, [url('/live')])
    await Promise.all(Array.from({ length: backlog }, (_, index) => submit(base, auth, slowSurvey.id, index)))
    await work(settings)
    await pause(WARM_UP_MS)
    const responses = []
    for (let index = 0; index < events; index += 1) responses.push(await submit(base, other, survey.id, index))
    const deadline = performance.now() + LIMIT_MS
    while (arrivals.size < events && performance.now() < deadline) await pause(20)
    const delays = responses.map(({ id, at }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at)
    const recoveryMs = Math.max(0, ...delays)
    const problems = recoveryMs > limitMs(options) ? ['the slow account delays the other one'] : []
    if (slow >= subscribers * backlog) problems.push('the slow account had no backlog')
    return {
      fault: `webhooks: ${subscribers} slow subscribers of another account`,
      writes: `${events} messages, ${subscribers * backlog} of the other account`,
      lost: events - arrivals.size,
      doubled: 0,
      recoveryMs,
      problems,
    }
  })
