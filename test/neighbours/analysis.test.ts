import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { seededRandom } from '../../src/lib/random.ts'
import { EVERY_ANSWER, EVERY_TYPE } from '../support/every-type.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { runAnalysis } from '../support/statistics-programs.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const RESPONSES = 300
let ann: Person
let survey: number

/** Stores 300 responses with every type of answer, texts that are hard to read, and numbers of many digits. */
beforeAll(async () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.info(`seed ${seed}`)
  const random = seededRandom(seed)
  ann = await world.person({ username: 'ann' })
  survey = await makeSurvey(ann, EVERY_TYPE)
  for (let index = 0; index < RESPONSES; index += 1) {
    const answers = Object.entries(EVERY_ANSWER[index % EVERY_ANSWER.length]!)
    const left = new Set(answers.flatMap(([key]) => (key !== 'colour' && random() < 0.2 ? [key.split('\\')[0]!] : [])))
    const json = {
      ...Object.fromEntries(answers.filter(([key]) => !left.has(key.split('\\')[0]!))),
      ...(random() < 0.8 && {
        nps: Math.floor(random() * 11),
        price: Number(((random() - 0.4) * 10 ** Math.floor(random() * 6)).toFixed(6)),
        slide: Math.floor(random() * 101),
        scale: Math.floor(random() * 3),
      }),
      remark: `№${index} “ä”, 'x'\n"y";\t${'z'.repeat(index)}`,
      _completed: index % 7 === 0 ? 0 : 1,
    }
    const { status, body } = await ann.post(`/api/v3/surveys/${survey}/responses/`, { json })
    expect([status, body.errors]).toEqual([201, undefined])
  }
}, 120_000)

type Figure = [question: string, key: string, figure: string, position: string, value: number | null]

/** Returns the figures of a report of the API that the scripts print, as they print them. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
function figuresOf(report: any): Figure[] {
  const { total, incomplete, complete, terminated } = report.responses
  const counted = Object.entries({ total, incomplete, complete, terminated })
  const all: Figure[] = counted.map(([name, count]) => ['', '', `responses ${name}`, '', count as number])
  const sayWeights = (question: string, key: string, base: { weighted_n?: number; effective_n?: number }) => {
    if (base.weighted_n === undefined) return
    all.push([question, key, 'weighted n', '', base.weighted_n], [question, key, 'effective n', '', base.effective_n!])
  }
  sayWeights('', '', report)
  for (const question of report.questions) {
    all.push([question.id, '', 'answered', '', question.answered])
    sayWeights(question.id, '', question)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const add = (key: string, field: any) => {
      const say = (figure: string, position: number | '', value: number | null) =>
        all.push([question.id, key, figure, String(position), value])
      say('answered', '', field.answered)
      sayWeights(question.id, key, field)
      for (const one of field.choices ?? []) {
        say('count', one.index, one.count)
        if (one.weighted_count !== undefined) say('weighted count', one.index, one.weighted_count)
        say('percentage', one.index, one.percentage)
        for (const [place, count] of (one.rank_counts ?? []).entries()) say(`rank ${place + 1}`, one.index, count)
        if (one.rank_counts) say('mean rank', one.index, one.mean_rank)
      }
      if (field.mean !== undefined && (field.choices || field.numbers)) {
        // R has no decimal numbers: the mean of numbers is printed with 15 digits.
        say('mean', '', field.numbers ? Number(field.mean.toPrecision(15)) : field.mean)
        say('median', '', field.median)
      }
      if (field.spread) {
        const {
          n,
          standard_deviation: deviation,
          interval,
          lower_quartile: lower,
          upper_quartile: upper,
        } = field.spread
        say('spread n', '', n)
        say('standard deviation', '', deviation)
        say('interval low', '', interval?.low ?? null)
        say('interval high', '', interval?.high ?? null)
        say('lower quartile', '', lower)
        say('upper quartile', '', upper)
      }
      if (field.numbers) {
        say('numbers', '', field.numbers.count)
        say('min', '', field.numbers.min)
        say('max', '', field.numbers.max)
        for (const [position, bin] of field.numbers.bins.entries()) {
          say('bin from', position, bin.from)
          say('bin count', position, bin.count)
          if (bin.weighted_count !== undefined) say('bin weighted count', position, bin.weighted_count)
        }
      }
      if (field.nps) {
        const { promoters, passives, detractors, score } = field.nps
        for (const [name, count] of Object.entries({ promoters, passives, detractors })) say(name, '', count)
        say('net promoter score', '', score)
        say('net promoter score low', '', field.nps.interval?.low ?? null)
        say('net promoter score high', '', field.nps.interval?.high ?? null)
      }
    }
    if (question.rows) for (const row of question.rows) add(row.key, row)
    else add(question.id, question)
    if (question.other) add(question.other.key, question.other)
  }
  return all
}

async function analysisOf(query: string, view = '') {
  const root = `/api/v3/surveys/${survey}/reports/`
  const report = (await ann.post(root, { json: { title: 'Report', query } })).body.id
  const headers = { authorization: ann.authorization! }
  const reply = await fetch(`${world.base}${root}${report}/analysis/`, { headers })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const { body } = await ann.get(`${root}${report}/${view}`)
  return { id: report, archive: Buffer.from(await reply.arrayBuffer()), figures: figuresOf(body) }
}

/** Returns the printed lines about the response keys of the figures. */
function asFigures(printed: string[][], figures: readonly Figure[]): Figure[] {
  // Parts of an answer, such as the version of a consent, are no figures of the API.
  const keys = new Set(figures.map(([question, key]) => `${question} ${key}`))
  return printed
    .map(
      ([question = '', key = '', figure = '', position = '', value = '']): Figure => [
        question,
        key,
        figure,
        position,
        value === 'none' ? null : Number(value),
      ],
    )
    .filter(([question, key]) => keys.has(`${question} ${key}`))
}

describe('exportAnalysis: the analysis of a report [spec 10.5]', () => {
  test.each([
    ['python', ''],
    ['python', '_completed>=0&colour=0'],
    ['R', ''],
    ['R', '_completed>=0&colour=0'],
  ] as const)(
    'prints the counts, percentages, ranks, means with their spread, medians and scores of the report to the digit: %s %s',
    async (program, query) => {
      const { archive, figures } = await analysisOf(query)
      const printed = await runAnalysis(archive, program)
      expect(asFigures(printed, figures)).toEqual(figures)
      console.info(`${program} printed ${figures.length} figures of the report`)
    },
    120_000,
  )

  test.each([
    ['python', ''],
    ['python', '_completed>=0&colour=0'],
    ['R', ''],
    ['R', '_completed>=0&colour=0'],
  ] as const)(
    'prints the figures of the weighted report to the digit: %s %s',
    async (program, query) => {
      const targets = (...percentages: number[]) => percentages.map((percentage, choice) => ({ choice, percentage }))
      const questions = [
        { question: 'nps', targets: targets(3, 5.25, 6.75, 10, 5, 15, 5, 10, 20, 10, 10) },
        { question: 'scale', targets: targets(20, 30, 50) },
      ]
      const { status } = await ann.put(`/api/v3/surveys/${survey}/weighting/`, { json: { questions, max_weight: 3 } })
      expect(status).toBe(200)
      const { archive, figures } = await analysisOf(query, '?weighted=1')
      expect(figures.filter(([, , figure]) => figure === 'weighted count').length).toBeGreaterThan(20)
      const printed = await runAnalysis(archive, program, '--weighted')
      expect(asFigures(printed, figures)).toEqual(figures)
      console.info(`${program} printed ${figures.length} figures of the weighted report`)
    },
    120_000,
  )

  test('has the hash that the page of the report shows, and the same bytes each time', async () => {
    const { id, archive } = await analysisOf('')
    const browser = await signInAs(ann)
    const page = `/account/surveys/${survey}/reports/${id}/`
    expect((await browser.get(page)).text).toContain(`${page}analysis/`)
    const hash = createHash('sha256').update(archive).digest('hex')
    expect((await browser.get(`${page}analysis/`)).text).toContain(hash)
    const reply = await fetch(`${world.base}${page}analysis.zip`, { headers: { cookie: browser.cookieHeader } })
    expect(Buffer.from(await reply.arrayBuffer()).equals(archive)).toBe(true)
    // Only a change makes the archive again.
    let sessions = 0
    const count = () => {
      sessions += 1
    }
    const { pool } = world.context().services
    pool.on('acquire', count)
    await browser.get(`${page}analysis/`)
    const unchanged = sessions
    await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { remark: 'new', _completed: 1 } })
    sessions = 0
    expect((await browser.get(`${page}analysis/`)).text).not.toContain(hash)
    pool.off('acquire', count)
    expect(sessions).toBeGreaterThan(unchanged)
  })
})
