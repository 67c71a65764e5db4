// Lists of responses: pages a second against the least that could send the same rows, and how long a page takes in a
// large survey against a small one.
import autocannon from 'autocannon'
import { line, median, ratio } from './figures.ts'
import { say } from './progress.ts'
import type { Seeded } from './seeded.ts'
import { AUTHORIZATION, startRival, startService } from './servers.ts'

const CONNECTIONS = 64
const PAGE = 50
/** Requests of one kind, one after the other, for one median; fewer when they take longer than so many milliseconds. */
const SAMPLES = 60
const PATIENCE = 2_000
/** The first ones do not count. */
const WARM_UP = 3

/** What is asked for, by the number of responses: the same part of a large survey and of a small one. */
const QUESTIONS: Readonly<Record<string, (responses: number) => string>> = {
  'first page': () => '',
  'page in the middle': (responses) => `page=${Math.floor(responses / PAGE / 2)}`,
  'one choice': () => 'tea=2',
  'one choice, page in the middle': (responses) => `tea=2&page=${Math.floor(responses / PAGE / 8)}`,
  'last month': () => '_created_at>2025-11-30',
  'one choice of complete ones': () => 'tea=2&_completed=1',
  'one choice of last month': () => 'tea=2&_created_at>2025-11-30',
  'two choices at once': () => 'tea=2&milk=1',
}

/** Longest that a page of 1,000,000 responses may take, as a multiple of one of 1,000. */
const goalAt = (responses: number): number => (responses > 1_000_000 ? 1.6 : 1.3)

export async function benchList(seeded: Seeded, { seconds = 2, rounds = 3 } = {}): Promise<void> {
  const service = await startService(seeded.url)
  const rival = await startRival('list', seeded.url, seeded.large.id)
  try {
    const address = (id: number, query: string) => `${service.base}/api/v3/surveys/${id}/responses/?${query}`
    const figures = { ours: [] as number[], bare: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      say(`list, round ${round + 1} of ${rounds}`)
      figures.ours.push(await rateOf(address(seeded.large.id, ''), seconds))
      figures.bare.push(await rateOf(rival.base, seconds))
    }
    const [ours, bare] = [median(figures.ours), median(figures.bare)]
    console.log(`list: page of ${PAGE}, ${CONNECTIONS} connections`)
    line('ours', `${ours.toFixed(0)}/s`)
    line('bare Koa + pg, the same rows as JSON', `${bare.toFixed(0)}/s`)
    ratio('ours ÷ bare', ours / bare, { atLeast: 0.8 })
    console.log(`list: one page at ${seeded.large.responses.toLocaleString('en')} responses, count included`)
    for (const [name, query] of Object.entries(QUESTIONS)) {
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

/** Requests a second. */
async function rateOf(url: string, seconds: number): Promise<number> {
  const options = { url, connections: CONNECTIONS, headers: { authorization: AUTHORIZATION } }
  await autocannon({ ...options, duration: 1 })
  const result = await autocannon({ ...options, duration: seconds })
  if (result.non2xx || result.errors) throw new Error(`${result.non2xx} refusals, ${result.errors} errors at ${url}`)
  return result.requests.total / result.duration
}

/** Milliseconds from asking to the last byte, the addresses in turn so that they share whatever else the machine does. */
async function latencies(urls: readonly string[]): Promise<number[]> {
  const times = urls.map(() => [] as number[])
  const began = performance.now()
  for (let sample = 0; sample < SAMPLES + WARM_UP; sample += 1) {
    if (sample > WARM_UP && performance.now() - began > PATIENCE) break
    for (const [index, url] of urls.entries()) {
      const start = performance.now()
      const reply = await fetch(url, { headers: { authorization: AUTHORIZATION } })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${url}: ${text}`)
      if (sample >= WARM_UP) times[index]!.push(performance.now() - start)
    }
  }
  return times.map(median)
}
