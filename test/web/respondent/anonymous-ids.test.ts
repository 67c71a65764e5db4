import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { Pool } from 'pg'
import { enqueue } from '../../../src/domain/jobs.ts'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import type { NewResponse } from '../../../src/domain/response/submit/new-response.ts'
import { idsOfCoordinator } from '../../../src/domain/response/submit/submission-batcher.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const BLOCK = 1_000
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }
let ann: Person
let named: Awaited<ReturnType<typeof addSurvey>>
beforeAll(async () => {
  ann = await world.person()
  named = await addSurvey(ann, onePage)
})

const db = () => world.em().getKysely<Tables>()
const submit = async (path: string) => submitForm(world.anonymous, await world.anonymous.get(path), { first: 'x' })
const idsOf = async (survey: number) => (await storedResponses(world, survey)).map(({ id }) => id)
const newestId = async () => (await idsOf(named.survey.id)).at(-1)!
const create = async (survey: number) =>
  (await ann.post(`/api/v3/surveys/${survey}/responses/`, { json: { first: 'x' } })).body.id as number
/** Returns how many reserved ids a survey has left. */
const idsLeft = async (survey: number) =>
  (
    await sql<{ free: number }>`select sum(upper(part) - lower(part))::integer as free
      from survey_feed, unnest(response_ids) as part where survey_id = ${survey}`.execute(db())
  ).rows[0]!.free

async function addAnonymousSurvey() {
  const added = await addSurvey(ann, onePage)
  const api = `/api/v3/surveys/${added.survey.id}/`
  expect((await ann.put(`${api}settings/`, { json: { anonymous: true } })).status).toBe(200)
  return { id: added.survey.id, path: added.path, api }
}

describe('the ids of responses to an anonymous survey', () => {
  test('do not show between which responses of other surveys they were stored', async () => {
    await submit(named.path)
    const before = await newestId()
    const { id, path } = await addAnonymousSurvey()
    const observed: number[] = []
    for (let round = 0; round < 5; round++) {
      for (let times = 0; times <= round; times++) await submit(named.path)
      observed.push(await newestId())
      await submit(path)
      await submit(named.path)
    }
    const ids = await idsOf(id)
    expect(ids).toEqual(ids.map((_, index) => ids[0]! + index))
    // All ids that were reserved are between those of the responses before and after the survey became anonymous.
    expect(ids[0]).toBeGreaterThan(before)
    expect(observed[0]).toBeGreaterThanOrEqual(ids[0]! + BLOCK)
  })

  test('are reserved when a survey, a copy or a collector becomes anonymous, and not by the first response', async () => {
    const { id: original } = await addAnonymousSurvey()
    const copy: number = (await ann.post(`/api/v3/surveys/${original}/duplicate/`, { json: { name: 'Copy' } })).body.id
    const { survey } = await addSurvey(ann, onePage)
    const json = { name: 'Anonymous', survey: survey.id, settings: { anonymous: true } }
    expect((await ann.post('/api/v3/collectors/', { json })).status).toBe(201)
    const { survey: other } = await addSurvey(ann, onePage)
    const { body } = await ann.get(`/api/v3/surveys/${other.id}/collectors/`)
    await ann.put(body.results[0].collector_uri, { json: { settings: { anonymous: true } } })
    const last = await create(named.survey.id)
    for (const id of [original, copy, survey.id, other.id]) {
      expect(await idsLeft(id)).toBe(BLOCK)
      expect(await create(id)).toBeLessThan(last)
    }
  })

  test('are unique in the installation and ascending in the survey, beyond the end of a block and with concurrent submissions', async () => {
    const [one, two] = [await addAnonymousSurvey(), await addAnonymousSurvey()]
    const csv = `first\n${'x\n'.repeat(BLOCK - 10)}`
    for (const { id } of [one, two]) await ann.act((context) => importResponses(context, id, csv))
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0 ? submit(named.path) : submit(index % 2 ? one.path : two.path),
      ),
    )
    for (const { id } of [one, two]) {
      const { rows } = await sql<{ ids: number[] }>`
        select array_agg(response_id order by seq) as ids from response_change where survey_id = ${id}`.execute(db())
      const ids = rows[0]!.ids.map(Number)
      expect(ids.length).toBeGreaterThan(BLOCK - 10)
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
    }
    const { rows } = await sql<{ all: number; distinct: number }>`
      select count(*) as all, count(distinct id) as distinct from response`.execute(db())
    expect(rows[0]!.distinct).toBe(rows[0]!.all)
    const after = await addAnonymousSurvey()
    expect(await create(after.id)).toBeGreaterThan(Math.max(...(await idsOf(one.id)), ...(await idsOf(two.id))))
  })

  test('are reserved again at the full hour if few are left', async () => {
    const { id } = await addAnonymousSurvey()
    await ann.act((context) => importResponses(context, id, `first\n${'x\n'.repeat(BLOCK / 2 + 1)}`))
    expect(await idsLeft(id)).toBe(BLOCK / 2 - 1)
    for (let run = 0; run < 2; run++) {
      await enqueue(world.context(), 'mark-used-invites', {})
      await world.runJobs()
    }
    expect(await idsLeft(id)).toBe(BLOCK + BLOCK / 2 - 1)
  })

  test('are taken from the reserved ids on a distributed database too', async () => {
    const { id } = await addAnonymousSurvey()
    const pool = new Pool({ connectionString: world.databaseUrl })
    try {
      const nextIds = idsOfCoordinator(pool)
      const response = { surveyId: id, hasReservedId: true } as NewResponse
      const first = await nextIds(Array(3).fill(response))
      const rest = await nextIds(Array(BLOCK - 4).fill(response))
      const next = await nextIds([response, response])
      const ids = [...first, ...rest, ...next]
      expect(ids.slice(0, -1)).toEqual(ids.slice(0, -1).map((_, index) => ids[0]! + index))
      expect(ids.at(-1)).toBeGreaterThan(ids.at(-2)!)
      const [shared] = await nextIds([{ surveyId: named.survey.id } as NewResponse])
      expect(shared).toBeGreaterThan(ids.at(-1)!)
    } finally {
      await pool.end()
    }
  })
})
