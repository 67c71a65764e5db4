import { setTimeout as pause } from 'node:timers/promises'
import { send } from './http.ts'
import type { Options, Result } from './report.ts'
import { runUnderLoad } from './scenario.ts'
import { structureOf } from './service.ts'

/** The number of clients that submit while the survey changes. */
const CLIENTS = 64
/** The maximum number of attempts at an edit. An overloaded server rejects edits, because submissions have priority. */
const MAX_ATTEMPTS = 20

/** Edits, closes and opens the survey continuously while 64 clients submit to two servers. */
export const edits = async (options: Options): Promise<Result[]> => [
  await runUnderLoad(options, { servers: 2, clients: CLIENTS, allowsRejections: true }, async (scenario) => {
    const { servers, target, load, auth } = scenario
    const problems: string[] = []
    const from = performance.now()
    const count = options.short ? 10 : 120
    for (let edit = 1; edit <= count; edit += 1) {
      const url = `${servers[edit % 2]!.base}/api/v3/surveys/${target.id}/`
      const write = async (path: string, json: object) => {
        const put = () => send(url + path, { method: 'PUT', auth, json })
        let reply = await put()
        for (let attempt = 1; reply.isOverload && attempt < MAX_ATTEMPTS; attempt += 1) {
          await pause(reply.retryAfterMs)
          reply = await put()
        }
        const { status, text } = reply
        if (status >= 300) problems.push(`edit ${edit}: ${status} ${text.slice(0, 200)}`)
      }
      if (edit % 10 === 0) {
        await write('', { live: 0 })
        await pause(100)
        await write('', { live: 1 })
      } else await write('structure/', structureOf(`Survey, edit ${edit}`))
      await pause(50)
    }
    return {
      fault: `survey edited ×${count}, closed ×${count / 10}, ${CLIENTS} clients`,
      recoveries: [await load.recovered(from, performance.now(), 30_000)],
      problems,
    }
  }),
]
