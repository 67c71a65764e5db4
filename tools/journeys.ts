// Counts the files and functions of src/ that one request executes on a running server, by the precise coverage of V8.
// A change of such a request has to be understood across these files. Run it as `make journeys`; ARGS=files lists them.
import { HttpBrowser } from '../test/support/http-browser.ts'
import { AUTHORIZATION, admin, createSurvey, freePort, startService, temporaryDatabase } from './bench/servers.ts'

/** How often a request is measured. Only what every repetition executes counts: jobs run at the same time. */
const REPETITIONS = 3
const SOURCE = new URL('../src/', import.meta.url).href
const listsFiles = process.argv.includes('files')

interface ScriptCoverage {
  url: string
  functions: { functionName: string; ranges: { count: number }[] }[]
}

interface Inspector {
  /** Sends a command of the inspector's protocol. */
  send(method: string, params?: object): Promise<unknown>
  close(): void
}

/** Connects to the inspector of a server, which does not end before the connection is closed. */
async function connect(port: number): Promise<Inspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  let id = 0
  const send: Inspector['send'] = (method, params = {}) =>
    new Promise((resolve, reject) => {
      id += 1
      const expected = id
      socket.addEventListener('message', function answer({ data }) {
        const reply = JSON.parse(data) as { id?: number; result?: unknown; error?: { message: string } }
        if (reply.id !== expected) return
        socket.removeEventListener('message', answer)
        if (reply.error) reject(new Error(reply.error.message))
        else resolve(reply.result)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  return { send, close: () => socket.close() }
}

const database = await temporaryDatabase()
const inspector = await freePort()
process.env.BENCH_NODE_OPTIONS = `--inspect=127.0.0.1:${inspector}`
const service = await startService(database.url, undefined, {}, 'src/main.mjs')
const { send, close } = await connect(inspector)
try {
  await send('Profiler.enable')
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

  /** Returns the functions of src/ that were called since the last time, as `file function`. */
  async function executed(): Promise<Set<string>> {
    const { result } = (await send('Profiler.takePreciseCoverage')) as { result: ScriptCoverage[] }
    return new Set(
      result
        .filter(({ url }) => url.startsWith(SOURCE))
        .flatMap(({ url, functions }) =>
          functions
            .filter(({ ranges }) => ranges[0]!.count > 0)
            .map(({ functionName }) => `${url.slice(SOURCE.length)} ${functionName}`),
        ),
    )
  }

  async function measure(name: string, request: () => Promise<{ status: number }>): Promise<void> {
    await request()
    let common: Set<string> | undefined
    for (let i = 0; i < REPETITIONS; i += 1) {
      await executed()
      const { status } = await request()
      if (status >= 400) throw new Error(`${name}: status ${status}`)
      const now = await executed()
      common = common ? common.intersection(now) : now
    }
    const files = new Set([...common!].map((line) => line.split(' ')[0]!))
    console.log(`${name.padEnd(34)} ${String(files.size).padStart(3)} files, ${common!.size} functions`)
    if (listsFiles) for (const file of [...files].sort()) console.log(`  ${file}`)
  }

  const { id, path } = await createSurvey(service.base, {
    title: 'Lunch',
    form: [{ children: [{ idname: 'text-response', id: 'dish', title: 'Which dish?' }] }],
  })
  const api = (method: string, address: string, body?: object) =>
    fetch(`${service.base}/api/v3/${address}`, {
      method,
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const respondent = new HttpBrowser(service.base)
  const owner = new HttpBrowser(service.base)
  await owner.signIn(admin.username, admin.password)
  const builder = `/account/surveys/${id}/edit/`

  console.log('files and functions of src/ that one request executes')
  await measure('GET the tags of a survey', () => api('GET', `surveys/${id}/tags/`))
  await measure('POST a response by the API', () => api('POST', `surveys/${id}/responses/`, { dish: 'Soup' }))
  await measure('GET the list of responses', () => api('GET', `surveys/${id}/responses/?dish=Soup`))
  let page = ''
  await measure('GET the page of a survey', async () => {
    const reply = await respondent.get(path)
    page = reply.text
    return reply
  })
  await measure('POST the page of a survey', async () => {
    page = (await respondent.get(`${path}?new`)).text
    await executed()
    const [, action = path] = /<form[^>]*action="([^"]+)"/.exec(page) ?? []
    return respondent.post(action, { dish: 'Soup' })
  })
  await measure('GET the builder', () => owner.get(builder))
  await measure('POST a question to the builder', () =>
    owner.post(builder, { do: 'add', kind: 'text-response', page: '0' }),
  )
} finally {
  close()
  await service.stop()
  await database.stop()
}
