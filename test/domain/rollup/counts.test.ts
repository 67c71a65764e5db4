import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fakeResponses } from '../../../src/domain/response/fake-responses.ts'
import { refreshRollups } from '../../../src/domain/rollup/refresh.ts'
import { CHUNK } from '../../../src/domain/rollup/state.ts'
import { freshSnapshot } from '../../../src/domain/survey/snapshot.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { surveyOf } from '../../support/respondents.ts'
import { EVERY_SHAPE } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let root: string
let report: string

const contextOf = () => ({ em: world.em(), now: world.now, services: world.wired.services })
const fill = async (count: number) => {
  const snapshot = (await freshSnapshot(world.em(), id))!
  await fakeResponses(contextOf(), snapshot, count, Math.random)
}
/** The report as it is summed up, and the same counted live, by way of a filter that every response passes. */
const both = async () => {
  const [summed, live] = [await ann.get(report), await ann.get(`${report}?_id>0`)]
  expect([summed.status, live.status]).toEqual([200, 200])
  return [summed.body, live.body]
}
const same = async () => {
  const [summed, live] = await both()
  expect(summed.questions).toEqual(live.questions)
  expect(summed.responses).toEqual(live.responses)
  return summed.responses.total as number
}
const kept = () =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('response_chunk')
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
  id = await surveyOf(world, ann, EVERY_SHAPE)
  root = `${world.base}/api/v3/surveys/${id}/`
  report = (await ann.post(`${root}reports/`, { json: { title: 'All', query: '_completed>=0' } })).body.report_uri
  await fill(2 * CHUNK + 500)
})

describe('a report of more than a chunk of responses', () => {
  test('is the same the first time, and from what was kept', async () => {
    expect(await kept()).toHaveLength(0)
    expect(await same()).toBe(2 * CHUNK + 500)
    expect(await kept()).toHaveLength(2)
    expect(await same()).toBe(2 * CHUNK + 500)
  })

  test('follows edits, deletions and what is added, whatever their order', async () => {
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
        expect(await same()).toBe((await idsOf()).length)
      }),
      { numRuns: 8 },
    )
  })

  test('counts only what changed again', async () => {
    await same()
    const before = await kept()
    const [first] = await idsOf()
    await remove(first!)
    await same()
    const after = await kept()
    expect(after[0]!.counts).not.toEqual(before[0]!.counts)
    expect(after[1]!.counts).toEqual(before[1]!.counts)
  })

  test('is right while answers come in and go', async () => {
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
    expect(await same()).toBe(ids.length + 600 - 20)
  })

  test('knows a question that comes later', async () => {
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
    const [summed, live] = await both()
    expect(summed.questions).toEqual(live.questions)
    expect(summed.questions.find((one: { id: string }) => one.id === 'late').answered).toBe(1)
    await same()
  })

  test('is counted ahead by the worker', async () => {
    await same()
    expect(await refreshRollups(contextOf())).toBe(1)
    expect(await refreshRollups(contextOf())).toBe(0)
    await fill(CHUNK)
    const before = (await kept()).length
    expect(await refreshRollups(contextOf())).toBe(1)
    expect((await kept()).length).toBe(before + 1)
    expect(await refreshRollups(contextOf())).toBe(0)
    await same()
  })

  test('leaves nothing behind when the survey goes', async () => {
    expect((await ann.delete(root)).status).toBeLessThan(300)
    expect(await kept()).toEqual([])
  })
})
