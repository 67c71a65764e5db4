import { beforeAll, describe, expect, test } from '@jest/globals'
import { respond } from '../../support/respondents.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let id: number
let uri: string

beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
  id = await makeSurvey(ann, EVERY_SHAPE)
  uri = `${world.base}/api/v3/surveys/${id}/reports/`
  const answerSets = [
    { q1: 0, q2: [0, 2], q3: 'First', q4: true, grid_0: 0, grid_1: 1, rank: [2, 0, 1], nps: 10, when: '2026-01-01' },
    { q1: 0, q2: [2], q3: 'Second', q4: false, grid_0: 1, rank: [2, 1, 0], nps: 9 },
    { q1: 2, 'q1\\other': 'Perhaps', q2: [1], nps: 0, q4: true },
    { q1: 1 },
  ]
  for (const [index, answers] of answerSets.entries())
    await respond(world, id, { answers, completed: index === 3 ? 0 : 1 })
})

/** Creates a report that also counts incomplete responses. */
const create = async (title: string) => (await ann.post(uri, { form: { title, query: '_completed>=0' } })).body
const statsOf = async (question: string, query = '') => {
  const { report_uri } = await create('Statistics')
  const { body } = await ann.get(`${report_uri}${query}`)
  return body.questions.find(({ id }: { id: string }) => id === question)
}
const countsOf = ({ choices }: { choices: { count: number; percentage: number }[] }) =>
  choices.map(({ count, percentage }) => [count, percentage])

describe('createReport [spec 10.1]', () => {
  test('returns 201 with the title', async () => {
    for (const sent of [{ form: { title: 'Q1' } }, { json: { title: 'Q1' } }, { multipart: { title: 'Q1' } }]) {
      const reply = await ann.post(uri, sent)
      const { id: report } = reply.body
      expect(reply.status).toBe(201)
      expect(reply.body).toEqual({
        id: expect.any(Number),
        title: 'Q1',
        created_at: '2026-01-15T12:00:00.000Z',
        survey_uri: `${world.base}/api/v3/surveys/${id}/`,
        report_uri: `${uri}${report}/`,
        report_url: `${world.base}/account/surveys/${id}/reports/${report}/`,
        query: '',
        share_text_answers: false,
      })
    }
  })

  test.each([{ title: '' }, { title: '  ' }, { title: 'x'.repeat(256) }])('returns 400 for %j', async (json) => {
    const reply = await ann.post(uri, { json })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: 'title' }] } })
  })
})

describe('createReport with incomplete responses', () => {
  const totalOf = async (report: string, query = '') => (await ann.get(`${report}${query}`)).body.responses.total

  test('counts them only when the report or the request includes them', async () => {
    const { report_uri: plain } = (await ann.post(uri, { form: { title: 'Plain' } })).body
    expect(await totalOf(plain)).toBe(3)
    expect(await totalOf(plain, '?_completed>=0')).toBe(4)
    expect(await totalOf(plain, '?_completed=0')).toBe(1)
    const { report_uri: filtered } = (await ann.post(uri, { json: { title: 'Filtered', query: 'q1=1' } })).body
    expect(await totalOf(filtered)).toBe(0)
    expect(await totalOf(filtered, '?_completed>=0')).toBe(1)
    const { report_uri: saved } = await create('With incomplete')
    expect(await totalOf(saved)).toBe(4)
  })

  test('returns 400 for an invalid query and creates no report', async () => {
    const { count } = (await ann.get(uri)).body
    const reply = await ann.post(uri, { json: { title: 'Wrong', query: 'nonsense=1' } })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: 'nonsense' }] } })
    expect((await ann.get(uri)).body.count).toBe(count)
  })
})

describe('listReports [spec 10.1]', () => {
  test('returns a page of reports', async () => {
    const created = await create('Listed')
    const { status, body } = await ann.get(`${uri}?page_size=100`)
    expect(status).toBe(200)
    expect(body.results.at(-1)).toEqual(created)
    expect((await ann.get(`${uri}?page_size=1`)).body).toMatchObject({ count: body.count, results: [body.results[0]] })
  })
})

describe('getReport [spec 10.1]', () => {
  test('returns the number of responses by state', async () => {
    const { report_uri, ...created } = await create('States')
    const { status, body } = await ann.get(report_uri)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...created, responses: { total: 4, complete: 3, incomplete: 1, terminated: 0 } })
    const ids = ['q1', 'q2', 'q3', 'q4', 'grid', 'rank', 'nps', 'when']
    expect(body.questions.map((question: { id: string }) => question.id)).toEqual(ids)
  })

  test('returns counts, percentages, mean and median scores, and the texts of the choice Other, for a single choice', async () => {
    const stats = await statsOf('q1')
    expect(stats).toMatchObject({ answered: 4, title: { en: 'Content?' }, type: 'single-choice', page: 1 })
    expect(countsOf(stats)).toEqual([
      [2, 50],
      [1, 25],
      [1, 25],
    ])
    // The scores are 10, 10, 5 and 3. The choice Other has no score of its own, so its score is its position, 3.
    expect(stats).toMatchObject({ mean: 7, median: 7.5 })
    // NumPy and SciPy 1.17.1: std(ddof=1), stats.t.interval(0.95, 3, mean, sem), quantile
    expect(stats.spread).toEqual({
      ...{ n: 4, standard_deviation: 3.559, lower_quartile: 4.5, upper_quartile: 10 },
      interval: { low: 1.3368, high: 12.6632 },
    })
    expect(stats.other).toMatchObject({ key: 'q1\\other', answered: 1, recent_answers: [{ value: 'Perhaps' }] })
  })

  test('bases the percentages of a multiple choice on the number of respondents who answered it', async () => {
    const stats = await statsOf('q2')
    expect(stats.answered).toBe(3)
    expect(countsOf(stats)).toEqual([
      [1, 33.3],
      [1, 33.3],
      [2, 66.7],
    ])
    expect(stats).not.toHaveProperty('mean')
  })

  test('returns the number of answers and the most recent answers of a text question', async () => {
    const stats = await statsOf('q3')
    expect(stats.answered).toBe(2)
    expect(stats.recent_answers.map(({ value }: { value: string }) => value)).toEqual(['Second', 'First'])
    expect((await ann.get(stats.recent_answers[0].response_uri)).body.q3).toBe('Second')
  })

  test('returns the counts of a yes-or-no question', async () => {
    const stats = await statsOf('q4')
    expect(countsOf(stats)).toEqual([
      [2, 66.7],
      [1, 33.3],
    ])
    expect(stats.mean).toBeCloseTo(2 / 3, 3)
  })

  test('returns the counts of each row of a grid', async () => {
    const stats = await statsOf('grid')
    expect(stats.answered).toBe(2)
    expect(stats.rows).toMatchObject([
      { index: 0, key: 'grid_0', label: { en: 'Food' }, answered: 2, mean: 1.5, median: 1.5 },
      { index: 1, key: 'grid_1', label: { en: 'Drink' }, answered: 1, mean: 2, median: 2 },
    ])
    expect(countsOf(stats.rows[0])).toEqual([
      [1, 50],
      [1, 50],
    ])
  })

  test('returns the rank counts of a ranking', async () => {
    const { answered, choices } = await statsOf('rank')
    expect(answered).toBe(2)
    expect(choices).toMatchObject([
      { rank_counts: [0, 1, 1], mean_rank: 2.5, count: 2 },
      { rank_counts: [0, 1, 1], mean_rank: 2.5, count: 2 },
      { rank_counts: [2, 0, 0], mean_rank: 1, count: 2 },
    ])
  })

  test('returns the NPS with one decimal', async () => {
    const stats = await statsOf('nps')
    expect(stats.nps).toEqual({
      ...{ score: 33.3, promoters: 2, passives: 0, detractors: 1 },
      interval: { low: -100, high: 100 },
    })
    expect(stats).toMatchObject({ answered: 3, mean: 6.3333, median: 9 })
    expect(stats.choices).toHaveLength(11)
  })

  test('accepts the filters of the response list', async () => {
    expect(await statsOf('q1', '?_completed=1')).toMatchObject({ answered: 3 })
    expect(await statsOf('q3', '?q1=Yes&q3=First')).toMatchObject({
      answered: 1,
      recent_answers: [{ value: 'First' }],
    })
    const { report_uri } = await create('Filtered')
    expect((await ann.get(`${report_uri}?filter=completed`)).body.responses.total).toBe(3)
    expect((await ann.get(`${report_uri}?nothing=1`)).status).toBe(400)
  })

  test('returns texts as strings if the request has the parameter language', async () => {
    const stats = await statsOf('q1', '?language=en')
    expect(stats).toMatchObject({ title: 'Content?', choices: [{ label: 'Yes' }, { label: 'No' }, {}] })
  })

  test('excludes answers that no longer fit the question', async () => {
    const structure = { title: 'Changed', form: EVERY_SHAPE.form }
    const other = await makeSurvey(ann, structure)
    const long = 'a text of a former question'
    const unsuitableAnswers = { q1: long, q2: 'x', q3: 7, q4: [1], rank: 5, nps: 99, grid_0: { a: 1 }, gone: 'gone' }
    await respond(world, other, { answers: unsuitableAnswers })
    const path = `/api/v3/surveys/${other}/reports/`
    const { report_uri } = (await ann.post(path, { form: { title: 'Unsuitable' } })).body
    const { status, body } = await ann.get(report_uri)
    expect(status).toBe(200)
    const chosen = body.questions.flatMap(({ choices = [] }: { choices?: { count: number }[] }) => choices)
    expect(chosen.every(({ count }: { count: number }) => count === 0)).toBe(true)
    expect(body.questions.find(({ id }: { id: string }) => id === 'q3')).toMatchObject({
      recent_answers: [{ value: '7' }],
    })
  })

  test('returns a total of 0 for a survey without responses, also if the survey has no questions', async () => {
    for (const structure of [EVERY_SHAPE, { title: 'Bare' }]) {
      const empty = await makeSurvey(ann, structure)
      const path = `/api/v3/surveys/${empty}/reports/`
      const { report_uri } = (await ann.post(path, { form: { title: 'Empty' } })).body
      expect(await ann.get(report_uri)).toMatchObject({ status: 200, body: { responses: { total: 0 } } })
    }
  })
})

describe('deleteReport [spec 10.1]', () => {
  test('returns "OK", after which the report is not found', async () => {
    const { report_uri } = await create('Deleted')
    expect(await ann.delete(report_uri)).toMatchObject({ status: 200, text: '"OK"' })
    expect(await ann.get(report_uri)).toMatchObject({ status: 404, body: { code: 'report_not_found' } })
    expect((await ann.delete(report_uri)).status).toBe(404)
  })
})

describe('report operations of another account', () => {
  test('return 404 for the survey', async () => {
    const { id: report } = await create('Private')
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', `${report}/`],
      ['DELETE', `${report}/`],
    ]) {
      const sent = method === 'POST' ? { json: { title: 'x' } } : {}
      const notFound = { status: 404, body: { code: 'survey_not_found' } }
      expect(await bob.send(method!, uri + path, sent)).toMatchObject(notFound)
    }
    const other = await makeSurvey(ann, EVERY_SHAPE)
    expect((await ann.get(`/api/v3/surveys/${other}/reports/${report}/`)).status).toBe(404)
  })
})
