import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { deleteResponses } from '../../../src/domain/response/edit/remove.ts'
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
  v2: `/api/v2/surveys/${survey}/responses/`,
  v3: `/api/v3/surveys/${survey}/responses/`,
  feed: `/api/v3/surveys/${survey}/responses/changes/`,
})

/** Reads on from a cursor until nothing more is waiting. */
async function follow(feed: string, since?: string): Promise<{ changes: Change[]; cursor: string }> {
  const changes: Change[] = []
  for (let cursor = since; ; ) {
    const { status, body, text } = await ann.get(`${feed}?page_size=7${cursor ? `&since=${cursor}` : ''}`)
    if (status !== 200) throw new Error(text)
    changes.push(...body.results)
    cursor = body.next_cursor as string
    if (!body.more) return { changes, cursor }
  }
}

describe('listResponseChanges', () => {
  test('returns creations, edits and deletions in order, from both versions', async () => {
    const survey = await makeSurvey(ann)
    const { v2, v3, feed } = addresses(survey)
    const first = (await ann.post(v3, { form: { q1: 0 } })).body.id
    const second = (await ann.post(v2, { json: { q1: '1' } })).body
    await ann.put(`${v3}${first}/`, { form: { q1: 1 } })
    await ann.put(`${v2}${second.id}/?completed=0`)
    await ann.post(v2, { json: { q1: '0', _key: second.key } })
    await ann.post(v2, { body: 'q1\n0\n1\n', headers: { 'content-type': 'text/csv' } })
    await ann.delete(`${v3}${first}/`)
    await ann.delete(`${v2}?response_ids=${second.id}`)
    const { status, body } = await ann.get(feed)
    expect(status).toBe(200)
    expect(body.more).toBe(false)
    expect(body.results.map(({ seq, kind }: Change) => [seq, kind])).toEqual([
      [1, 'created'],
      [2, 'created'],
      [3, 'edited'],
      [4, 'edited'],
      [5, 'edited'],
      [6, 'created'],
      [7, 'created'],
      [8, 'deleted'],
      [9, 'deleted'],
    ])
    expect(body.results[0]).toEqual({
      seq: 1,
      kind: 'created',
      response_id: first,
      at: world.now.toISOString(),
      response_uri: `${world.base}${v3}${first}/`,
    })
  })

  test('returns every change once for any page_size, and the same cursor without new changes', async () => {
    const survey = await makeSurvey(ann)
    const { v3, feed } = addresses(survey)
    const empty = (await ann.get(feed)).body
    expect(empty).toEqual({ results: [], next_cursor: expect.any(String), more: false })
    await Promise.all(Array.from({ length: 20 }, () => ann.post(v3, { form: { q1: 0 } })))
    const page = (await ann.get(`${feed}?page_size=8&since=${empty.next_cursor}`)).body
    expect([page.results.length, page.more]).toEqual([8, true])
    const { changes, cursor } = await follow(feed, page.next_cursor)
    expect(changes.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, i) => i + 9))
    expect((await ann.get(`${feed}?since=${cursor}`)).body).toEqual({ results: [], next_cursor: cursor, more: false })
  })

  test('returns 400 for a cursor that is not from this feed', async () => {
    const [one, other] = [addresses(await makeSurvey(ann)), addresses(await makeSurvey(ann))]
    await ann.post(other.v3, { form: { q1: 0 } })
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
    const { v3, feed } = addresses(survey)
    const doomed: number[] = []
    for (let n = 0; n < 5; n += 1) doomed.push((await ann.post(v3, { form: { q1: 0 } })).body.id)

    let writing = true
    const seen: Change[] = []
    const reading = (async () => {
      let cursor: string | undefined
      for (let last = false; ; last = !writing) {
        const read = await follow(feed, cursor)
        cursor = read.cursor
        seen.push(...read.changes)
        if (last) return
      }
    })()
    const services = world.application.services
    const held = world.em().transactional(async (em) => {
      await deleteResponses({ em, actor: ann.actor, now: world.now, services }, survey, doomed)
      await pause(300)
    })
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; n < 10; n += 1) {
        const { id } = (await ann.post(v3, { form: { q1: writer % 2 } })).body
        if (n % 2) await ann.put(`${v3}${id}/`, { form: { q3: `edit ${n}` } })
        if (n % 5 === 4) await ann.delete(`${v3}${id}/`)
      }
    })
    await Promise.all([held, ...writers])
    writing = false
    await reading

    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 5 + 5 + 6 * (10 + 5 + 2) }, (_, i) => i + 1))
    const alive = new Set<number>()
    for (const { kind, response_id } of seen) {
      if (kind === 'created') alive.add(response_id)
      else expect([kind, alive.has(response_id)]).toEqual([kind, true])
      if (kind === 'deleted') alive.delete(response_id)
    }
    const left = alive.size
    expect(await counts(world, survey)).toEqual({ rows: left, feed: left, collectors: left })
  })
})
