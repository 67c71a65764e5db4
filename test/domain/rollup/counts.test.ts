import { beforeAll, describe, expect, test } from '@jest/globals'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { SEGMENT_RESPONSES } from '../../../src/domain/rollup/state.ts'
import { getSnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import fc from '../../support/fast-check.ts'
import { EVERY_SHAPE, makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let root: string
let report: string

const contextOf = () => ({ em: world.em(), now: world.now, services: world.application.services })
const fill = async (count: number) => {
  const snapshot = (await getSnapshot(world.em(), id))!
  await fakeResponses(contextOf(), snapshot, count, Math.random)
}
/**
 * Returns two reports of all responses. The counts of the first report are read from the rollup. The second report has
 * a filter that every response passes, so its counts are computed from the responses.
 */
const storedAndLiveReport = async () => {
  const [rollup, live] = [await ann.get(report), await ann.get(`${report}?_id>0`)]
  expect([rollup.status, live.status]).toEqual([200, 200])
  return [rollup.body, live.body]
}
const expectEqualReports = async () => {
  const [rollup, live] = await storedAndLiveReport()
  expect(rollup.questions).toEqual(live.questions)
  expect(rollup.responses).toEqual(live.responses)
  return rollup.responses.total as number
}
const segments = () =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('response_segment')
    .select(['number', 'last_id', 'counts'])
    .where('survey_id', '=', id)
    .orderBy('number')
    .execute()
const idsOf = async () => {
  const rows = await world
    .em()
    .getKysely<Tables>()
    .selectFrom('response')
    .select('id')
    .where('survey_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

const edit = async (response: number, json: object) =>
  expect((await ann.put(`${root}responses/${response}/`, { json })).status).toBe(202)
const remove = async (response: number) => expect((await ann.delete(`${root}responses/${response}/`)).status).toBe(200)

beforeAll(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, EVERY_SHAPE)
  root = `${world.base}/api/v3/surveys/${id}/`
  report = (await ann.post(`${root}reports/`, { json: { title: 'All', query: '_completed>=0' } })).body.report_uri
  await fill(2 * SEGMENT_RESPONSES + 500)
})

describe('countAllFromRollup for a survey with several segments of responses', () => {
  test('returns the same counts with and without a stored rollup', async () => {
    expect(await segments()).toHaveLength(0)
    expect(await expectEqualReports()).toBe(2 * SEGMENT_RESPONSES + 500)
    expect(await segments()).toHaveLength(2)
    expect(await expectEqualReports()).toBe(2 * SEGMENT_RESPONSES + 500)
  })

  test('returns the current counts after any sequence of edits, deletions and submissions', async () => {
    const change = fc.tuple(fc.constantFrom('edit', 'delete', 'add'), fc.nat())
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        for (const [what, pick] of changes) {
          const ids = await idsOf()
          const one = ids[pick % ids.length]!
          if (what === 'edit') await edit(one, { q1: pick % 3, q2: [pick % 2], q3: `No ${pick}` })
          else if (what === 'delete') await remove(one)
          else await fill(3)
        }
        expect(await expectEqualReports()).toBe((await idsOf()).length)
      }),
      { numRuns: 8 },
    )
  })

  test('recounts only changed segments', async () => {
    await expectEqualReports()
    const before = await segments()
    const [first] = await idsOf()
    await remove(first!)
    await expectEqualReports()
    const after = await segments()
    expect(after[0]!.counts).not.toEqual(before[0]!.counts)
    expect(after[1]!.counts).toEqual(before[1]!.counts)
  })

  test('returns consistent counts during concurrent writes', async () => {
    const ids = await idsOf()
    let isOver = false
    const writers = [fill(600), ...ids.slice(10, 40).map((one) => edit(one, { q1: 2 })), ...ids.slice(-20).map(remove)]
    const readers = [1, 2].map(async () => {
      while (!isOver) {
        const { body } = await ann.get(report)
        const { total, complete, incomplete, terminated } = body.responses
        expect(complete + incomplete + terminated).toBe(total)
      }
    })
    await Promise.all(writers)
    isOver = true
    await Promise.all(readers)
    expect(await expectEqualReports()).toBe(ids.length + 600 - 20)
  })

  test('counts the answers to a question that was added after the rollup was stored', async () => {
    const { body } = await ann.get(`${root}structure/`)
    const structure = structuredClone(body)
    structure.form[0].children.push({
      idname: 'single-choice',
      id: 'late',
      title: 'Late?',
      children: [{ type: 'single', choices: [{ label: 'Yes' }, { label: 'No' }] }],
    })
    expect((await ann.put(`${root}structure/`, { json: structure })).status).toBeLessThan(300)
    const [first] = await idsOf()
    await edit(first!, { late: 1 })
    const [rollup, live] = await storedAndLiveReport()
    expect(rollup.questions).toEqual(live.questions)
    expect(rollup.questions.find((one: { id: string }) => one.id === 'late').answered).toBe(1)
    await expectEqualReports()
  })

  test('uses the counts that the worker stored in advance', async () => {
    await expectEqualReports()
    expect(await refreshRollups(contextOf())).toBe(1)
    expect(await refreshRollups(contextOf())).toBe(0)
    await fill(SEGMENT_RESPONSES)
    const before = (await segments()).length
    expect(await refreshRollups(contextOf())).toBe(1)
    expect((await segments()).length).toBe(before + 1)
    expect(await refreshRollups(contextOf())).toBe(0)
    await expectEqualReports()
  })

  test('erases the rollup with the survey', async () => {
    await eraseSurvey(ann, id)
    expect(await segments()).toEqual([])
  })
})
