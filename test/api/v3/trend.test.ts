import { beforeAll, describe, expect, test } from '@jest/globals'
import { seededRandom } from '../../../src/lib/random.ts'
import { respond } from '../../support/respondents.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let survey: number
let root: string

const NUMBER = { idname: 'number', id: 'age', title: 'Age', children: [{ min: 0, max: 100 }] }
const [page] = EVERY_SHAPE.form
const STRUCTURE = { ...EVERY_SHAPE, form: [{ ...page, children: [...page!.children, NUMBER] }] }

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, STRUCTURE)
  root = `/api/v3/surveys/${survey}/`
  for (const [at, q1, age] of [
    ['2026-01-04T22:59:00Z', 0, 20],
    ['2026-01-04T23:30:00Z', 0, 30],
    ['2026-01-05T12:00:00Z', 0, 34],
    ['2026-01-06T12:00:00Z', 1, 40.5],
    ['2026-01-11T22:00:00Z', 0, undefined],
    ['2026-01-20T12:00:00Z', 1, 'none'],
  ] as const)
    await respond(world, survey, { createdAt: at, answers: { q1, q2: [q1], nps: 10 - 9 * q1, ...(age && { age }) } })
  await respond(world, survey, { createdAt: '2026-01-05T12:00:00Z', answers: { q1: 1 }, completed: 0 })
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
const periodsOf = (body: any, ...names: string[]) => body.periods.map((one: any) => names.map((name) => one[name]))

describe('getTrend [spec 10.9]', () => {
  test('counts by day and by ISO week in a time zone', async () => {
    const berlin = await ann.get(`${root}trend/?question=q1&by=week&time_zone=Europe/Berlin&language=en`)
    expect(berlin.status).toBe(200)
    expect(berlin.body).toMatchObject({ by: 'week', time_zone: 'Europe/Berlin', question: { key: 'q1' } })
    expect(periodsOf(berlin.body, 'from', 'answered')).toEqual([
      ['2025-12-29', 1],
      ['2026-01-05', 4],
      ['2026-01-19', 1],
    ])
    // prop.test(3, 4, correct = FALSE)$conf.int and (1, 4) in R 4.2.2
    expect(berlin.body.periods[1].choices.slice(0, 2)).toEqual([
      { index: 0, label: 'Yes', count: 3, percentage: 75, interval: { low: 30.1, high: 95.4 } },
      { index: 1, label: 'No', count: 1, percentage: 25, interval: { low: 4.6, high: 69.9 } },
    ])
    const utc = await ann.get(`${root}trend/?question=q1&by=week`)
    expect(utc.body.time_zone).toBe('UTC')
    expect(periodsOf(utc.body, 'from', 'answered')).toEqual([
      ['2025-12-29', 2],
      ['2026-01-05', 3],
      ['2026-01-19', 1],
    ])
    const days = await ann.get(`${root}trend/?question=q1&time_zone=Europe/Berlin`)
    expect(periodsOf(days.body, 'from', 'answered')).toEqual([
      ['2026-01-04', 1],
      ['2026-01-05', 2],
      ['2026-01-06', 1],
      ['2026-01-11', 1],
      ['2026-01-20', 1],
    ])
  })

  test('returns means with interval, and net promoter scores', async () => {
    const { body } = await ann.get(`${root}trend/?question=age&by=week&time_zone=Europe/Berlin`)
    // t.test(c(30, 34, 40.5)) in R 4.2.2
    expect(body.periods).toEqual([
      { from: '2025-12-29', answered: 1, mean: 20, standard_deviation: null, interval: null, choices: [] },
      {
        ...{ from: '2026-01-05', answered: 3, mean: 34.8333, standard_deviation: 5.2994 },
        ...{ interval: { low: 21.669, high: 47.9977 }, choices: [] },
      },
    ])
    const { body: nps } = await ann.get(`${root}trend/?question=nps&by=week&_created_at%3E=2026-01-05`)
    // t.test(c(100, -100, 100)) in R 4.2.2: −253.5 to 320.2, within −100 to 100
    expect(nps.periods[0].nps).toEqual({ score: 33.3, interval: { low: -100, high: 100 } })
  })

  test('counts by wave: the collectors in the order of their first responses', async () => {
    const second = (await ann.post(`${root}collectors/`, { json: { name: 'Second wave' } })).body.id
    const empty = (await ann.post(`${root}collectors/`, { json: { name: 'No answers' } })).body.id
    expect(empty).toBeGreaterThan(0)
    await respond(world, survey, { collectorId: second, createdAt: '2025-01-01T00:00:00Z', answers: { q2: [0, 1] } })
    const { body } = await ann.get(`${root}trend/?question=q2&by=wave`)
    expect(body.periods).toMatchObject([
      { from: '2025-01-01', collector: { id: second, name: 'Second wave' }, answered: 1 },
      { from: '2026-01-04', answered: 6, choices: [{ count: 4, percentage: 66.7 }, { count: 2 }, { count: 0 }] },
    ])
    expect(body.periods[0]).not.toHaveProperty('mean')
    expect(body.periods[0].choices.map(({ count }: { count: number }) => count)).toEqual([1, 1, 0])
  })

  test.each([
    ['question=nothing', 'question', 'unknown_question'],
    ['question=q3', 'question', 'not_countable'],
    ['question=q1&time_zone=Mars/Base', 'time_zone', 'unknown_time_zone'],
    ['question=q1&by=year', 'by', 'invalid_value'],
    ['question=q1&nothing=1', 'nothing', 'unknown_parameter'],
  ])('rejects %s', async (query, field, code) => {
    const reply = await ann.get(`${root}trend/?${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, code }] } })
  })

  test('has the figures that a count in memory finds, in any time zone', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.info(`seed ${seed}`)
    const random = seededRandom(seed)
    const other = await makeSurvey(ann, STRUCTURE)
    const responses = Array.from({ length: 200 }, () => ({
      at: new Date(Date.UTC(2026, 2, 20) + Math.floor(random() * 20 * 86_400_000)),
      q1: Math.floor(random() * 3),
    }))
    for (const { at, q1 } of responses) await respond(world, other, { createdAt: at, answers: { q1 } })
    for (const zone of ['America/New_York', 'Australia/Adelaide', 'Europe/Berlin']) {
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
      const weekOf = (at: Date) => {
        const day = new Date(`${format.format(at)}T00:00:00Z`)
        return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10)
      }
      for (const by of ['day', 'week']) {
        const { body } = await ann.get(`/api/v3/surveys/${other}/trend/?question=q1&by=${by}&time_zone=${zone}`)
        const expected = Map.groupBy(responses, ({ at }) => (by === 'day' ? format.format(at) : weekOf(at)))
        expect(
          body.periods.map(({ from, choices }: { from: string; choices: { count: number }[] }) => [
            from,
            choices.map(({ count }) => count),
          ]),
        ).toEqual(
          [...expected]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([from, answers]) => [
              from,
              [0, 1, 2].map((index) => answers.filter(({ q1 }) => q1 === index).length),
            ]),
        )
      }
    }
  })
})
