// Measures lists of responses: pages per second relative to a minimal server, and the time of a page in a large survey
// relative to a small one.
import autocannon from 'autocannon'
import { line, median, printStep, ratio } from './figures.ts'
import type { Seeded } from './seeded.ts'
import { AUTHORIZATION, startRival, startService } from './servers.ts'

const CONNECTIONS = 64
export const PAGE_SIZE = 50
/**
 * The number of requests from which a median is computed. It is smaller if these requests take longer than
 * MAX_SAMPLING_MS in total.
 */
const SAMPLES = 60
const MAX_SAMPLING_MS = 2_000
/** The number of requests before each measurement. They are not counted. */
const WARM_UP_REQUESTS = 3

/**
 * Functions that return the query of a measurement for a number of responses. In a large and in a small survey, a query
 * reads a page at the same relative position.
 */
export const QUERIES: Readonly<Record<string, (responses: number) => string>> = {
  'first page': () => '',
  'page in the middle': (responses) => `page=${Math.floor(responses / PAGE_SIZE / 2)}`,
  'one choice': () => 'tea=2',
  'one choice, page in the middle': (responses) => `tea=2&page=${Math.floor(responses / PAGE_SIZE / 8)}`,
  'last month': () => '_created_at>2025-11-30',
  'one choice, complete responses': () => 'tea=2&_completed=1',
  'one choice of last month': () => 'tea=2&_created_at>2025-11-30',
  'two choices': () => 'tea=2&milk=1',
}

/**
 * Returns the maximum time of a page of a large survey, as a multiple of the time of a page of a survey with 1,000
 * responses.
 */
const goalAt = (responses: number): number => (responses > 1_000_000 ? 1.6 : 1.3)

export async function benchList(seeded: Seeded, { seconds = 2, rounds = 3 } = {}): Promise<void> {
  const service = await startService(seeded.url)
  const rival = await startRival('list', seeded.url, seeded.large.id)
  try {
    const address = (id: number, query: string) => `${service.base}/api/v3/surveys/${id}/responses/?${query}`
    const figures = { ours: [] as number[], bare: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      printStep(`list, round ${round + 1} of ${rounds}`)
      figures.ours.push(await rateOf(address(seeded.large.id, ''), seconds))
      figures.bare.push(await rateOf(rival.base, seconds))
    }
    const [ours, bare] = [median(figures.ours), median(figures.bare)]
    console.log(`list: page of ${PAGE_SIZE}, ${CONNECTIONS} connections`)
    line('ours', `${ours.toFixed(0)}/s`)
    line('bare Koa + pg, the same rows as JSON', `${bare.toFixed(0)}/s`)
    ratio('ours ÷ bare', ours / bare, { atLeast: 0.8 })
    console.log(`list: one page at ${seeded.large.responses.toLocaleString('en')} responses, including the count`)
    for (const [name, query] of Object.entries(QUERIES)) {
      const small = address(seeded.small.id, query(seeded.small.responses))
      const large = address(seeded.large.id, query(seeded.large.responses))
      const [few, many] = await latencies([small, large])
      line(name, `${many!.toFixed(2)} ms`, `${few!.toFixed(2)} ms at ${seeded.small.responses.toLocaleString('en')}`)
      ratio(`${name}: large ÷ small`, many! / few!, { atMost: goalAt(seeded.large.responses) })
    }
  } finally {
    await rival.stop()
    await service.stop()
  }
}

/** Returns the requests per second. */
export async function rateOf(url: string, seconds: number): Promise<number> {
  const options = { url, connections: CONNECTIONS, headers: { authorization: AUTHORIZATION } }
  await autocannon({ ...options, duration: 1 })
  const result = await autocannon({ ...options, duration: seconds })
  if (result.non2xx || result.errors)
    throw new Error(`${result.non2xx} error replies and ${result.errors} connection errors from ${url}`)
  return result.requests.total / result.duration
}

/**
 * Returns the median milliseconds until the last byte for each address; alternates between the addresses, so that all
 * have the same load.
 */
export async function latencies(urls: readonly string[]): Promise<number[]> {
  const times = urls.map(() => [] as number[])
  const begin = performance.now()
  for (let sample = 0; sample < SAMPLES + WARM_UP_REQUESTS; sample += 1) {
    if (sample > WARM_UP_REQUESTS && performance.now() - begin > MAX_SAMPLING_MS) break
    for (const [index, url] of urls.entries()) {
      const start = performance.now()
      const reply = await fetch(url, { headers: { authorization: AUTHORIZATION } })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${url}: ${text}`)
      if (sample >= WARM_UP_REQUESTS) times[index]!.push(performance.now() - start)
    }
  }
  return times.map(median)
}
