import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { deleteResponses } from '../../../src/domain/response/edit/remove.ts'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import { counts, makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
})

interface Change {
  seq: number
  kind: string
  response_id: number
}

const addresses = (survey: number) => ({
  responses: `/api/v3/surveys/${survey}/responses/`,
  feed: `/api/v3/surveys/${survey}/responses/changes/`,
})

/** Reads all changes after a cursor. */
async function readAll(feed: string, since?: string): Promise<{ changes: Change[]; cursor: string }> {
  const changes: Change[] = []
  for (let cursor = since; ; ) {
    const { status, body, text } = await ann.get(`${feed}?page_size=7${cursor ? `&since=${cursor}` : ''}`)
    if (status !== 200) throw new Error(text)
    changes.push(...body.results)
    cursor = body.next_cursor as string
    if (!body.more) return { changes, cursor }
  }
}

describe('listResponseChanges [spec 7.9]', () => {
  test('returns creations, edits and deletions in order', async () => {
    const survey = await makeSurvey(ann)
    const { responses, feed } = addresses(survey)
    const first = (await ann.post(responses, { form: { q1: 0 } })).body.id
    const second = (await ann.post(responses, { form: { q1: 1 } })).body.id
    await ann.put(`${responses}${first}/`, { form: { q1: 1 } })
    await ann.put(`${responses}${second}/`, { form: { _completed: 1 } })
    await ann.act((context) => importResponses(context, survey, 'q1\n0\n1\n'))
    await ann.delete(`${responses}${first}/`)
    await ann.delete(`${responses}${second}/`)
    const { status, body } = await ann.get(feed)
    expect(status).toBe(200)
    expect(body.more).toBe(false)
    expect(body.results.map(({ seq, kind }: Change) => [seq, kind])).toEqual([
      [1, 'created'],
      [2, 'created'],
      [3, 'edited'],
      [4, 'edited'],
      [5, 'created'],
      [6, 'created'],
      [7, 'deleted'],
      [8, 'deleted'],
    ])
    expect(body.results[0]).toEqual({
      seq: 1,
      kind: 'created',
      response_id: first,
      at: world.now.toISOString(),
      response_uri: `${world.base}${responses}${first}/`,
    })
  })

  test('with include=response, adds each response in its current state, or null if it was deleted', async () => {
    const survey = await makeSurvey(ann)
    const { responses, feed } = addresses(survey)
    const [kept, deleted] = [
      await ann.post(responses, { form: { q1: 0 } }),
      await ann.post(responses, { form: { q1: 1 } }),
    ]
    await ann.put(`${responses}${kept.body.id}/`, { form: { q1: 1 } })
    await ann.delete(`${responses}${deleted.body.id}/`)
    const { results } = (await ann.get(`${feed}?include=response`)).body
    const current = (await ann.get(`${responses}${kept.body.id}/`)).body
    expect(results.map(({ response }: { response: unknown }) => response)).toEqual([current, null, current, null])
    expect((await ann.get(`${feed}?include=survey`)).body.errors[0].field).toBe('include')
  })

  test('returns every change once for any page_size, and an unchanged cursor if there are no new changes', async () => {
    const survey = await makeSurvey(ann)
    const { responses, feed } = addresses(survey)
    const empty = (await ann.get(feed)).body
    expect(empty).toEqual({ results: [], next_cursor: expect.any(String), more: false })
    await Promise.all(Array.from({ length: 20 }, () => ann.post(responses, { form: { q1: 0 } })))
    const page = (await ann.get(`${feed}?page_size=8&since=${empty.next_cursor}`)).body
    expect([page.results.length, page.more]).toEqual([8, true])
    const { changes, cursor } = await readAll(feed, page.next_cursor)
    expect(changes.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, i) => i + 9))
    expect((await ann.get(`${feed}?since=${cursor}`)).body).toEqual({ results: [], next_cursor: cursor, more: false })
  })

  test('returns 400 for a cursor that is not from this feed', async () => {
    const [one, other] = [addresses(await makeSurvey(ann)), addresses(await makeSurvey(ann))]
    await ann.post(other.responses, { form: { q1: 0 } })
    const foreign = (await ann.get(other.feed)).body.next_cursor
    for (const [feed, cursor] of [
      [one.feed, foreign],
      [one.feed, 'nonsense'],
      [one.feed, ''],
      [one.feed, '%00'],
    ]) {
      const { status, body } = await ann.get(`${feed}?since=${cursor}`)
      expect([cursor, status, body.errors?.[0].field]).toEqual([cursor, 400, 'since'])
    }
  })

  test('returns every change exactly once and in order despite a late commit', async () => {
    const survey = await makeSurvey(ann)
    const { responses, feed } = addresses(survey)
    const deleted: number[] = []
    for (let n = 0; n < 5; n += 1) deleted.push((await ann.post(responses, { form: { q1: 0 } })).body.id)

    let writing = true
    const changes: Change[] = []
    const reading = (async () => {
      let cursor: string | undefined
      for (let last = false; ; last = !writing) {
        const read = await readAll(feed, cursor)
        cursor = read.cursor
        changes.push(...read.changes)
        if (last) return
      }
    })()
    const services = world.application.services
    const lateCommit = world.em().transactional(async (em) => {
      await deleteResponses({ em, actor: ann.actor, now: world.now, services }, survey, deleted)
      await pause(300)
    })
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; n < 10; n += 1) {
        const { id } = (await ann.post(responses, { form: { q1: writer % 2 } })).body
        if (n % 2) await ann.put(`${responses}${id}/`, { form: { q3: `edit ${n}` } })
        if (n % 5 === 4) await ann.delete(`${responses}${id}/`)
      }
    })
    await Promise.all([lateCommit, ...writers])
    writing = false
    await reading

    expect(changes.map(({ seq }) => seq)).toEqual(Array.from({ length: 5 + 5 + 6 * (10 + 5 + 2) }, (_, i) => i + 1))
    const existing = new Set<number>()
    for (const { kind, response_id } of changes) {
      if (kind === 'created') existing.add(response_id)
      else expect([kind, existing.has(response_id)]).toEqual([kind, true])
      if (kind === 'deleted') existing.delete(response_id)
    }
    const { size } = existing
    expect(await counts(world, survey)).toEqual({ rows: size, feed: size, collectors: size })
  })
})
