import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { csvRows } from '../../src/lib/csv.ts'
import { limitMs, type Options, type Result } from './report.ts'
import { runUnderLoad, type Scenario } from './scenario.ts'
import { createTarget } from './service.ts'

const ROWS = 40_000
const IMPORT_ROWS = 4_000
/** The number of exports that are running when the server stops. */
const EXPORTS = 4

/**
 * Stops (SIGTERM) or kills the server while it exports responses. A client must be able to detect every incomplete
 * file.
 */
export const exports = async (options: Options): Promise<Result[]> => [
  await runUnderLoad(options, {}, async (scenario) => {
    const { servers, serve, settings, load } = scenario
    const rows = options.short ? ROWS / 10 : ROWS
    const survey = await importResponses(scenario, rows)
    const recoveries: number[] = []
    const problems: string[] = []
    let complete = 0
    let aborted = 0
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const server = servers[0]!
      const files = Array.from({ length: EXPORTS }, (_, index) => download(scenario, survey, 10 * index))
      await pause(300)
      const from = performance.now()
      const { durationMs } = await server.program.end(signal)
      if (durationMs > 21_000 + limitMs(options)) problems.push(`the stop took ${Math.round(durationMs)} ms`)
      server.program = (await serve(settings, server.port)).program
      const recovery = await load.recovered(from, performance.now(), 60_000)
      // A server that is stopped with SIGTERM causes no outage if another server takes over. Only the recovery after a
      // kill counts.
      if (signal === 'SIGKILL') recoveries.push(recovery)
      for (const file of await Promise.all(files)) {
        if (file === undefined) {
          aborted += 1
          continue
        }
        let count = -1
        for await (const _ of csvRows(file)) count += 1
        if (count === rows) complete += 1
        else problems.push(`an export of ${count} instead of ${rows} rows looks complete`)
      }
    }
    return {
      fault: `server stopped and killed during exports (${complete} whole, ${aborted} aborted)`,
      recoveries,
      problems,
    }
  }),
]

/** Creates a survey and imports responses. @returns its ID */
async function importResponses({ auth, servers }: Scenario, rows: number): Promise<number> {
  const { base } = servers[0]!
  const { id } = await createTarget(base, auth)
  const note = 'A note of some length, so that the file is larger than the buffers of the connection. '.repeat(3)
  for (let from = 0; from < rows; from += IMPORT_ROWS) {
    const lines = Array.from({ length: Math.min(IMPORT_ROWS, rows - from) }, (_, index) => `${from + index},"${note}"`)
    const reply = await fetch(`${base}/api/v2/surveys/${id}/responses/`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', authorization: `Basic ${btoa(auth)}` },
      body: ['marker,note', ...lines].join('\n'),
    })
    if (!reply.ok) throw new Error(`import: ${reply.status} ${await reply.text()}`)
  }
  return id
}

/** @param delayMs pause after each chunk, so that the export is still running when the server stops */
function download({ servers, auth }: Scenario, survey: number, delayMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(`${servers[0]!.base}/api/v3/surveys/${survey}/csv/`, { auth }, async (reply) => {
      let text = ''
      try {
        for await (const chunk of reply.setEncoding('utf8')) {
          text += chunk
          await pause(delayMs)
        }
        resolve(reply.statusCode === 200 ? text : undefined)
      } catch {
        resolve(undefined)
      }
    })
    outgoing.once('error', () => resolve(undefined)).end()
  })
}
