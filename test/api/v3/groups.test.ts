import { beforeAll, describe, expect, test } from '@jest/globals'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import { seededRandom } from '../../../src/lib/random.ts'
import { respond } from '../../support/respondents.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let root: string

const NUMBER = { idname: 'number', id: 'age', title: 'Age', children: [{ min: 0, max: 100 }] }
const [page] = EVERY_SHAPE.form
const STRUCTURE = { ...EVERY_SHAPE, form: [{ ...page, children: [...page!.children, NUMBER] }] }

const times = <Item>(count: number, item: Item): Item[] => Array<Item>(count).fill(item)
/** The answers of the groups q1=0, q1=1 and q1=2. */
const NPS = [
  [...times(12, 10), ...times(8, 9), ...times(6, 7), ...times(4, 3)],
  [...times(4, 10), ...times(8, 8), ...times(10, 5), ...times(8, 2)],
  [...times(9, 9), ...times(9, 6), ...times(12, 0)],
]
const AGES = [
  [20.5, 31, 44, 27, 35, 29],
  [51, 62.25, 48, 55, 59, 70],
  [33, 36],
]
const AGAIN = [24, 10, 15]

const groupsOf = (...queries: string[]) => queries.map((query) => `group=${encodeURIComponent(query)}`).join('&')
// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any reply
const fieldOf = (body: any, id: string) => body.questions.find((question: any) => question.id === id).fields[0]

beforeAll(async () => {
  ann = await world.person()
  const survey = await makeSurvey(ann, STRUCTURE)
  root = `/api/v3/surveys/${survey}/`
  for (const [q1, scores] of NPS.entries())
    for (const [index, nps] of scores.entries()) {
      const age = AGES[q1]![index]
      const answers = { q1, nps, q4: index < AGAIN[q1]!, ...(age !== undefined && { age }), q2: [q1, (q1 + 1) % 3] }
      await respond(world, survey, { answers })
    }
  await respond(world, survey, { answers: { q1: 0, nps: 0 }, completed: 0 })
})

describe('compareGroups [spec 10.7]', () => {
  test('marks shares, means and net promoter scores that differ at 95 %', async () => {
    const { status, body } = await ann.get(`${root}comparison/?${groupsOf('q1=0', 'q1=1', 'q1=2')}&language=en`)
    expect(status).toBe(200)
    expect(body.groups).toEqual([
      { letter: 'A', query: 'q1=0', n: 30, overlaps: [] },
      { letter: 'B', query: 'q1=1', n: 30, overlaps: [] },
      { letter: 'C', query: 'q1=2', n: 30, overlaps: [] },
    ])
    // prop.test(c(24, 10), c(30, 30), correct = FALSE) and so on in R 4.2.2: z 3.647, 2.436 and 1.309; limit 2.394
    expect(fieldOf(body, 'q4').choices[0].cells).toEqual([
      { count: 24, percentage: 80, higher_than: ['B', 'C'] },
      { count: 10, percentage: 33.3, higher_than: [] },
      { count: 15, percentage: 50, higher_than: [] },
    ])
    // t.test(nps(a), nps(b)) and so on in R 4.2.2: p 1.9e-6, 6.7e-5 and 0.76; limit 0.0167
    expect(fieldOf(body, 'nps').nps).toEqual([
      { score: 53.3, interval: { low: 26.1, high: 80.6 }, higher_than: ['B', 'C'] },
      { score: -46.7, interval: { low: -73.9, high: -19.4 }, higher_than: [] },
      { score: -40, interval: { low: -74.8, high: -5.2 }, higher_than: [] },
    ])
    // t.test(a, b) and so on in R 4.2.2: p 0.00018, 0.376 and 0.00068; quantile(a) of type 7
    expect(fieldOf(body, 'age').means).toEqual([
      {
        ...{ n: 6, mean: 31.0833, standard_deviation: 7.9399, interval: { low: 22.7509, high: 39.4157 } },
        ...{ median: 30, lower_quartile: 27.5, upper_quartile: 34, higher_than: [] },
      },
      {
        ...{ n: 6, mean: 57.5417, standard_deviation: 7.9975, interval: { low: 49.1488, high: 65.9346 } },
        ...{ median: 57, lower_quartile: 52, upper_quartile: 61.4375, higher_than: ['A', 'C'] },
      },
      {
        ...{ n: 2, mean: 34.5, standard_deviation: 2.1213, interval: { low: 15.4407, high: 53.5593 } },
        ...{ median: 34.5, lower_quartile: 33.75, upper_quartile: 35.25, higher_than: [] },
      },
    ])
    expect(fieldOf(body, 'q2').choices[0].cells.map(({ count }: { count: number }) => count)).toEqual([30, 0, 30])
    expect(fieldOf(body, 'q2')).not.toHaveProperty('means')
  })

  test('does not compare groups that share responses', async () => {
    const { body } = await ann.get(`${root}comparison/?${groupsOf('', 'q1=1', '_any=q1%3D0%26nps%3D10', 'q1=7')}`)
    expect(body.groups.map(({ n, overlaps }: { n: number; overlaps: string[] }) => [n, overlaps])).toEqual([
      [90, ['B', 'C']],
      [30, ['A', 'C']],
      [34, ['A', 'B']],
      [0, []],
    ])
    expect(fieldOf(body, 'q4').choices[0].cells.flatMap((cell: { higher_than: string[] }) => cell.higher_than)).toEqual(
      [],
    )
  })

  test('compares a period with the one before, and saved filters', async () => {
    const survey = await makeSurvey(ann, STRUCTURE)
    const path = `/api/v3/surveys/${survey}/`
    for (const [day, count] of [
      ['2026-01-10', 3],
      ['2026-01-14', 2],
      ['2026-01-15', 4],
      ['2026-01-19', 5],
      ['2026-01-20', 6],
    ] as const)
      for (let index = 0; index < count; index += 1)
        await respond(world, survey, { answers: { q1: 0 }, createdAt: `${day}T00:00:00Z` })
    const counts = async (query: string) =>
      (await ann.get(`${path}comparison/?${query}`)).body.groups.map(({ n }: { n: number }) => n)
    const january = '_created_at%3E=2026-01-15&_created_at%3C2026-01-20'
    expect(await counts(`previous_period&${january}`)).toEqual([9, 5])
    expect(await counts(`previous_period=1&_created_at=2026-01-15&${groupsOf('')}`)).toEqual([4, 2])
    expect(await counts(`previous_period=1&_created_at%3E2026-01-14&_created_at%3C=2026-01-19`)).toEqual([9, 5])
    await ann.post(`${path}filters/`, { json: { name: 'late', query: '_created_at>=2026-01-19' } })
    expect(await counts(groupsOf('filter=late', '_created_at<2026-01-19'))).toEqual([11, 9])
  })

  test.each([
    [groupsOf('q1=0', 'nothing=1'), 'nothing', 'unknown_parameter'],
    [groupsOf('q1=0', 'filter=nothing'), 'filter', 'unknown_filter'],
    ['previous_period', 'previous_period', 'period_required'],
    ['previous_period&_created_at%3E=2026-01-15', 'previous_period', 'period_required'],
    ['previous_period&_created_at%3E=2026-01-15&_created_at%3C2026-01-01', 'previous_period', 'period_required'],
  ])('rejects %s', async (query, field, code) => {
    const reply = await ann.get(`${root}comparison/?${query}`)
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, code }] } })
  })

  test('has the figures of the reports with the filters of each group', async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.info(`seed ${seed}`)
    const survey = await makeSurvey(ann, STRUCTURE)
    const snapshot = (await getSnapshot(world.em(), survey))!
    await fakeResponses(world.context(), snapshot, 400, seededRandom(seed))
    const path = `/api/v3/surveys/${survey}/`
    const report = (await ann.post(`${path}reports/`, { json: { title: 'All' } })).body.id
    const queries = ['q1=0', 'q4=1&nps>5', '_any=q2%3D1%26age%3E50']
    const { body } = await ann.get(`${path}comparison/?${groupsOf(...queries)}&_completed%3E=0`)
    for (const [group, query] of queries.entries()) {
      const alone = (await ann.get(`${path}reports/${report}/?${query}&_completed%3E=0`)).body
      expect(body.groups[group].n).toBe(alone.responses.total)
      for (const [index, question] of alone.questions.entries()) {
        const compared = body.questions[index]
        expect([compared.id, compared.answered[group]]).toEqual([question.id, question.answered])
        for (const [at, one] of (question.rows ?? [question]).entries()) {
          const field = compared.fields[at]
          for (const [choice, { count, percentage, mean_rank }] of (one.choices ?? []).entries())
            expect(field.choices[choice].cells[group]).toMatchObject({
              ...{ count, percentage },
              ...(mean_rank !== undefined && { mean_rank }),
            })
          if (!one.spread) continue
          const { n, standard_deviation, interval } = one.spread
          expect(field.means[group]).toMatchObject({ n, standard_deviation, interval })
          expect(field.means[group].mean).toBeCloseTo(one.mean, 4)
        }
        if (question.nps) {
          const { score, interval } = question.nps
          expect(compared.fields[0].nps[group]).toMatchObject({ score, interval })
        }
      }
    }
  })
})
