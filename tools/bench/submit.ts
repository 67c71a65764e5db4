// Measures submissions relative to minimal servers, in the same run on the same database. With CITUS_URL, measures them
// on a Citus cluster instead.
import { availableParallelism } from 'node:os'
import autocannon, { type Client } from 'autocannon'
import { versions } from '../../scripts/versions.ts'
import { line, median, printStep, ratio } from './figures.ts'
import {
  AUTHORIZATION,
  createSurvey,
  metric,
  type Running,
  startRival,
  startService,
  temporaryDatabase,
} from './servers.ts'
import { benchSubmitCluster } from './submit-cluster.ts'

const CONNECTIONS = 64
/** Each process of a server compiles its code while it answers the first thousands of requests. */
const WARM_UP_SECONDS = 4

/**
 * The server for which the goals are set: the service, to which forms are sent through the newest version of the API.
 */
const OURS = `ours, ${versions.at(-1)} form`
const PAGE = 'ours, page for respondents'

/**
 * The numbers of processes that are compared with one process. Numbers above the number of cores of the machine are
 * left out.
 */
const PROCESSES = [2, 4].filter((count) => count <= availableParallelism())
const withProcesses = (count: number) => `${OURS}, ${count} processes`

/**
 * The numbers of surveys that receive responses at the same time, so that a batch contains responses to all of them.
 */
const SURVEYS = [16, 64]
const toSurveys = (count: number) => `${OURS}, ${count} surveys at once`

/** Twelve questions: a response takes about 410 bytes. */
const QUESTIONS = Array.from({ length: 12 }, (_, n) =>
  n % 2
    ? { idname: 'text-response', id: `text${n}`, title: `Question ${n}`, children: [{ type: 'string' }] }
    : {
        idname: 'single-choice',
        id: `choice${n}`,
        title: `Question ${n}`,
        children: [{ type: 'single', choices: ['Never', 'Now and then', 'Often'].map((label) => ({ label })) }],
      },
)
export const ANSWERS = Object.fromEntries(
  QUESTIONS.map(({ id }, n) => [id, n % 2 ? 'A short answer of a typical length here' : String(n % 3)]),
)
export const STRUCTURE = { title: 'Benchmark', form: [{ type: 'page', children: QUESTIONS }] }
export const FORM = new URLSearchParams(ANSWERS).toString()

/** The goal for the resident memory of the service under load, in megabytes. */
const MEMORY_GOAL = 260

/**
 * Requests, requests per second, the 99th percentile of the latency in milliseconds, and the resident memory of the
 * service afterwards in megabytes (NaN of other servers).
 */
interface Figure {
  requests: number
  rate: number
  p99: number
  memory: number
}

/** Requests that submit a response. Each connection sends them to one of the paths. */
interface Submission {
  paths: readonly string[]
  type: string
  body: string
}

interface Contender extends Submission {
  name: string
  start(): Promise<Running>
}

async function measure({ name, start, ...submission }: Contender, seconds: number): Promise<Figure> {
  const server = await start()
  try {
    await submit(server.base, submission, WARM_UP_SECONDS)
    const figure = await submit(server.base, submission, seconds)
    const bytes = name === OURS ? await metric(server.base, 'process_resident_memory_bytes') : Number.NaN
    return { ...figure, memory: bytes / 1e6 }
  } finally {
    await server.stop()
  }
}

/** Submits responses for some seconds. */
export async function submit(
  base: string,
  { paths, type, body }: Submission,
  seconds: number,
): Promise<Omit<Figure, 'memory'>> {
  const headers = { authorization: AUTHORIZATION, 'content-type': type }
  let connections = 0
  const result = await autocannon({
    url: base,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient(client: Client) {
      const { pathname } = new URL(paths[connections++ % paths.length]!, base)
      client.setRequests([{ method: 'POST', path: pathname, headers, body }])
    },
  })
  const { errors, requests, duration, latency } = result
  // A page for respondents answers with a redirect.
  const refused = result.non2xx - result['3xx']
  if (refused || errors) throw new Error(`${refused} error replies and ${errors} connection errors from ${paths[0]}`)
  return { requests: requests.total, rate: requests.total / duration, p99: latency.p99 }
}

const pathsOf = (surveys: readonly number[], version = versions.at(-1)): string[] =>
  surveys.map((survey) => `/api/${version}/surveys/${survey}/responses/`)

/** Creates surveys through the API. @returns their IDs, and the path of the first page for respondents */
async function benchmarkSurveys(databaseUrl: string, count: number): Promise<{ ids: number[]; page: string }> {
  const service = await startService(databaseUrl)
  try {
    const surveys: { id: number; path: string }[] = []
    while (surveys.length < count) surveys.push(await createSurvey(service.base, STRUCTURE))
    return { ids: surveys.map(({ id }) => id), page: surveys[0]!.path }
  } finally {
    await service.stop()
  }
}

/** Measures the servers in turn, `rounds` times, and prints rates, p99 and ratios with their goals. */
export async function benchSubmit({ seconds = 2, rounds = 3 } = {}): Promise<void> {
  if (process.env.CITUS_URL)
    return benchSubmitCluster(process.env.CITUS_URL, { structure: STRUCTURE, form: FORM }, seconds, rounds)
  const database = await temporaryDatabase()
  try {
    const { ids: surveys, page } = await benchmarkSurveys(database.url, Math.max(...SURVEYS))
    const survey = surveys[0]!
    const form = 'application/x-www-form-urlencoded'
    const ours = () => startService(database.url)
    const rival = (kind: string) => ({
      start: () => startRival(kind, database.url, survey),
      paths: [''],
      type: form,
      body: FORM,
    })
    const contenders: Contender[] = [
      ...versions.toReversed().map((version): Contender => {
        const paths = pathsOf([survey], version)
        return version === versions.at(-1)
          ? { name: OURS, start: ours, paths, type: form, body: FORM }
          : {
              name: `ours, ${version} JSON`,
              start: ours,
              paths,
              type: 'application/json',
              body: JSON.stringify(ANSWERS),
            }
      }),
      { name: PAGE, start: ours, paths: [page], type: form, body: FORM },
      ...PROCESSES.map((count) => ({
        name: withProcesses(count),
        start: () => startService(database.url, undefined, { PROCESSES: String(count) }),
        paths: pathsOf([survey]),
        type: form,
        body: FORM,
      })),
      ...SURVEYS.map((count) => ({
        name: toSurveys(count),
        start: ours,
        paths: pathsOf(surveys.slice(0, count)),
        type: form,
        body: FORM,
      })),
      { name: 'bare Koa, same statement', ...rival('bare') },
      { name: 'bare Koa, without feed and counters', ...rival('plain') },
      { name: 'bare Koa, one INSERT per request', ...rival('single') },
      { name: 'bare Koa, echo', ...rival('echo') },
    ]
    const figures = new Map<string, Figure[]>(contenders.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round += 1) {
      printStep(`submit, round ${round + 1} of ${rounds}`)
      for (const contender of contenders) figures.get(contender.name)!.push(await measure(contender, seconds))
    }
    report(new Map([...figures].map(([name, all]) => [name, medianFigure(all)])))
  } finally {
    await database.stop()
  }
}

const medianFigure = (all: readonly Figure[]): Omit<Figure, 'requests'> => ({
  rate: median(all.map(({ rate }) => rate)),
  p99: median(all.map(({ p99 }) => p99)),
  memory: median(all.map(({ memory }) => memory)),
})

function report(figures: ReadonlyMap<string, Omit<Figure, 'requests'>>): void {
  console.log(`submit: 12 answers, ${CONNECTIONS} connections`)
  for (const [name, { rate, p99 }] of figures) line(name, `${rate.toFixed(0)}/s`, `p99 ${p99} ms`)
  const between = (a: string, b: string) => figures.get(a)!.rate / figures.get(b)!.rate
  ratio('ours ÷ same statement', between(OURS, 'bare Koa, same statement'), { atLeast: 0.85 })
  ratio('ours ÷ one INSERT per request', between(OURS, 'bare Koa, one INSERT per request'), { atLeast: 1.8 })
  ratio('ours ÷ echo', between(OURS, 'bare Koa, echo'), { atLeast: 0.5 })
  ratio('page for respondents ÷ API', between(PAGE, OURS), { atLeast: 0.7 })
  for (const count of PROCESSES) ratio(`${count} processes ÷ one`, between(withProcesses(count), OURS), { atLeast: 1 })
  for (const count of SURVEYS)
    ratio(`${count} surveys at once ÷ one`, between(toSurveys(count), OURS), { atLeast: 0.85 })
  const countingCost = between('bare Koa, same statement', 'bare Koa, without feed and counters')
  ratio('exact count ÷ without', countingCost, { atLeast: 0.9 })
  const { memory } = figures.get(OURS)!
  line('memory under this load', `${Math.round(memory)} MB`)
  ratio(`  of ${MEMORY_GOAL} MB`, memory / MEMORY_GOAL, { atMost: 1 })
}
