// Measures reports of a large and a small survey: the first report, for which no counts are stored, and later reports.
import { Client } from 'pg'
import { line, median, ratio } from './figures.ts'
import { refreshRollupsOf, type Seeded } from './seeded.ts'
import { AUTHORIZATION, startService } from './servers.ts'

const SAMPLES = 9

export async function benchReport({ url, large, small }: Seeded): Promise<void> {
  const service = await startService(url)
  try {
    const medianTime = async (report: string) => {
      const times: number[] = []
      for (let sample = 0; sample < SAMPLES; sample += 1) times.push(await timeOfReport(report))
      return median(times)
    }
    await deleteRollups(url)
    const [many, few] = [await createReport(service.base, large.id), await createReport(service.base, small.id)]
    console.log(`report: every question, at ${large.responses.toLocaleString('en')} responses`)
    line('first time', `${(await timeOfReport(many)).toFixed(0)} ms`)
    await refreshRollupsOf(url)
    const [later, laterSmall] = [await medianTime(many), await medianTime(few)]
    line('later', `${later.toFixed(1)} ms`, `${laterSmall.toFixed(1)} ms at ${small.responses.toLocaleString('en')}`)
    ratio('seconds, later', later / 1000, { atMost: 1 })
    line('of one choice', `${(await medianTime(`${many}?tea=2`)).toFixed(0)} ms`)
    line('of two choices', `${(await medianTime(`${many}?tea=2&milk=1`)).toFixed(0)} ms`)
    line('of last month', `${(await medianTime(`${many}?_created_at>2025-11-30`)).toFixed(0)} ms`)
    const table = `${service.base}/api/v3/surveys/${large.id}/cross-table/?rows=tea&columns=milk`
    const crossed = await medianTime(table)
    line(
      'cross-table',
      `${crossed.toFixed(0)} ms`,
      `${(await medianTime(`${table}&tea=2`)).toFixed(0)} ms of one choice`,
    )
    ratio('seconds, cross-table', crossed / 1000, { atMost: 0.1 })
    const either = encodeURIComponent('tea=1&tea=2&milk=1')
    line('of one of three choices', `${(await medianTime(`${many}?_any=${either}`)).toFixed(0)} ms`)
    const survey = `${service.base}/api/v3/surveys/${large.id}/`
    const groups = ['tea=0', 'tea=1', 'tea=2'].map((filter) => `group=${encodeURIComponent(filter)}`).join('&')
    const compared = await medianTime(`${survey}comparison/?${groups}`)
    line('three groups', `${compared.toFixed(0)} ms`)
    line('trend by week', `${(await medianTime(`${survey}trend/?question=tea&by=week`)).toFixed(0)} ms`)
    await weigh(survey)
    line('cross-table, weighted', `${(await medianTime(`${table}&weighted`)).toFixed(0)} ms`)
  } finally {
    await service.stop()
  }
}

/** Weights the responses by one question. */
async function weigh(survey: string): Promise<void> {
  const start = performance.now()
  const reply = await fetch(`${survey}weighting/`, {
    method: 'PUT',
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ questions: [{ question: 'tea', targets: WEIGHTS }] }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  await reply.arrayBuffer()
  line('weights of one question', `${(performance.now() - start).toFixed(0)} ms`)
}

const WEIGHTS = [
  { choice: 0, percentage: 60 },
  { choice: 1, percentage: 40 },
]

/** Returns the milliseconds until the last byte of a report. */
export async function timeOfReport(report: string): Promise<number> {
  const start = performance.now()
  const reply = await fetch(report, { headers: { authorization: AUTHORIZATION } })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${report}: ${text}`)
  return performance.now() - start
}

/** Deletes all rollups, so that the next report is as slow as before the worker has run for the first time. */
async function deleteRollups(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('delete from response_rollup')
  await client.end()
}

/** Creates a report of a survey. @returns its address */
export async function createReport(base: string, survey: number): Promise<string> {
  const reply = await fetch(`${base}/api/v3/surveys/${survey}/reports/`, {
    method: 'POST',
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Benchmark' }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return ((await reply.json()) as { report_uri: string }).report_uri
}
