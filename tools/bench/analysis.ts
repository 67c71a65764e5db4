// Measures cross-tables, groups, trends, weights, the coding of texts and the fieldwork board of a large survey: the first
// time, and when they are asked for again while no response has changed.
import { Client } from 'pg'
import { line, median, ratio } from './figures.ts'
import { createReport, timeOfReport } from './report.ts'
import type { Seeded } from './seeded.ts'
import { AUTHORIZATION, startService } from './servers.ts'

const SAMPLES = 5
/** Seconds that a figure may take the first time, and again. */
const FIRST = 1
const AGAIN = 0.1
const CODED_ANSWERS = 100_000

export async function benchAnalysis({ url, large }: Seeded): Promise<void> {
  const service = await startService(url)
  try {
    const survey = `${service.base}/api/v3/surveys/${large.id}/`
    const report = await createReport(service.base, large.id)
    await measure('service', `${survey}cross-table/?rows=days&columns=days`)
    console.log(`analysis: first time and again, at ${large.responses.toLocaleString('en')} responses`)
    const groups = ['tea=0', 'tea=1', 'tea=2'].map((filter) => `group=${encodeURIComponent(filter)}`).join('&')
    const table = `${survey}cross-table/?rows=nps&columns=tea`
    const pages = [
      ['cross-table', table],
      ['cross-table by collector', `${survey}cross-table/?rows=tea&columns=_collector`],
      ['three groups', `${survey}comparison/?${groups}`],
      ['trend by week', `${survey}trend/?question=nps&by=week`],
      ['trend by day', `${survey}trend/?question=days&by=day`],
    ] as const
    for (const [label, address] of pages) await goals(label, address)
    await weigh(survey)
    for (const [label, address] of [
      ['cross-table, weighted', `${table}&weighted`],
      ['report, weighted', `${report}?weighted`],
      ['three groups, weighted', `${survey}comparison/?${groups}&weighted`],
    ] as const)
      await goals(label, address)
    const category = await codeAnswers(url, survey, large.id)
    await goals('categories with counts', `${survey}coding/categories/`, 0.05)
    const list = await measure('answers', `${survey}coding/answers/?category=${category}`)
    ratio(`seconds, answers of a category`, list.again / 1000, { atMost: 0.05 })
    await goals('report with categories', report)
    await goals('fieldwork', `${survey}fieldwork/`)
  } finally {
    await service.stop()
  }
}

async function measure(_label: string, address: string): Promise<{ first: number; again: number }> {
  const first = await timeOfReport(address)
  const times: number[] = []
  for (let sample = 0; sample < SAMPLES; sample += 1) times.push(await timeOfReport(address))
  return { first, again: median(times) }
}

async function goals(label: string, address: string, again = AGAIN): Promise<void> {
  const times = await measure(label, address)
  ratio(`seconds, ${label}, first time`, times.first / 1000, { atMost: FIRST })
  ratio(`seconds, ${label}, again`, times.again / 1000, { atMost: again })
}

/** Weights the responses by two questions. */
async function weigh(survey: string): Promise<void> {
  const shares = (question: string, ...percentages: number[]) => ({
    question,
    targets: percentages.map((percentage, choice) => ({ choice, percentage })),
  })
  const start = performance.now()
  await send(`${survey}weighting/`, 'PUT', { questions: [shares('tea', 40, 30, 20, 10), shares('again', 60, 40)] })
  line('weights of two questions', `${(performance.now() - start).toFixed(0)} ms`)
}

async function send(address: string, method: string, body: object): Promise<unknown> {
  const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(address, { method, headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(await reply.text())
  return reply.json()
}

/** Puts the answers of the first responses into a category. @returns its ID */
async function codeAnswers(url: string, survey: string, surveyId: number): Promise<number> {
  const { id } = (await send(`${survey}coding/categories/`, 'POST', { name: 'Benchmark' })) as { id: number }
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      `insert into response_coding (survey_id, response_id, key, round_id, coder_id, category_id, digest)
       select survey_id, id, 'reason', 0, 0, $2, md5(answers ->> 'reason')::uuid
       from response where survey_id = $1 and answers ? 'reason' order by id limit $3`,
      [surveyId, id, CODED_ANSWERS],
    )
    await client.query('update response_coding_state set revision = revision + 1 where survey_id = $1', [surveyId])
    await client.query('analyze response_coding')
  } finally {
    await client.end()
  }
  return id
}
