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
  for (const question of report.questions) {
    all.push([question.id, '', 'answered', '', question.answered])
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const add = (key: string, field: any) => {
      const say = (figure: string, position: number | '', value: number | null) =>
        all.push([question.id, key, figure, String(position), value])
      say('answered', '', field.answered)
      for (const one of field.choices ?? []) {
        say('count', one.index, one.count)
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

async function analysisOf(query: string) {
  const root = `/api/v3/surveys/${survey}/reports/`
  const report = (await ann.post(root, { json: { title: 'Report', query } })).body.id
  const headers = { authorization: ann.authorization! }
  const reply = await fetch(`${world.base}${root}${report}/analysis/`, { headers })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const { body } = await ann.get(`${root}${report}/`)
  return { id: report, archive: Buffer.from(await reply.arrayBuffer()), figures: figuresOf(body) }
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
      // Parts of an answer, such as the version of a consent, are no figures of the API.
      const keys = new Set(figures.map(([question, key]) => `${question} ${key}`))
      const lines = printed
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
      expect(lines).toEqual(figures)
      console.info(`${program} printed ${figures.length} figures of the report`)
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
