import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const STRUCTURE = {
  title: 'Paged',
  form: [{ idname: 'single-choice', id: 'q', title: 'Q', children: [{ choices: [{ label: 'a' }, { label: 'b' }] }] }],
}
let ann: Person
let survey: number
const ids: number[] = []

beforeAll(async () => {
  ann = await world.person()
  survey = await makeSurvey(ann, STRUCTURE)
  for (let made = 0; made < 23; made += 1) await answer(made)
})

async function answer(made: number): Promise<void> {
  ids.push((await respond(world, survey, { answers: { q: made % 2 } })).id)
}

/** Ids in a page of v3 or v2. */
const idsIn = (items: { _id?: number; id?: number }[]) => items.map(({ _id, id }) => _id ?? id!)

describe('a client that reads all pages during new submissions', () => {
  // How big a page is, and after which pages somebody answers.
  const walk = fc.record({ size: fc.integer({ min: 1, max: 12 }), more: fc.array(fc.boolean(), { maxLength: 8 }) })

  test('sees every response once by following next in v3, with and without a filter', async () => {
    await fc.assert(
      fc.asyncProperty(walk, fc.boolean(), async ({ size, more }, filtered) => {
        const before = [...ids]
        const all = filtered ? before.filter((_, at) => at % 2 === 1) : before
        const seen: number[] = []
        let next: string | null = `/api/v3/surveys/${survey}/responses/?page_size=${size}${filtered ? '&q=b' : ''}`
        while (next) {
          const { status, body } = await ann.get(next)
          expect(status).toBe(200)
          seen.push(...idsIn(body.results))
          next = body.next
          if (more.shift()) await answer(ids.length)
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.slice(0, all.length)).toEqual(all)
      }),
      { numRuns: 12 },
    )
  })

  test('sees every response once by offset and limit in v2', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ size, more }) => {
        const before = [...ids]
        const seen: number[] = []
        for (let offset = 0; ; offset += size) {
          const { status, body } = await ann.get(`/api/v2/surveys/${survey}/responses/?offset=${offset}&limit=${size}`)
          expect(status).toBe(200)
          seen.push(...idsIn(body.responses))
          if (body.responses.length < size) break
          if (more.shift()) await answer(ids.length)
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.slice(0, before.length)).toEqual(before)
      }),
      { numRuns: 12 },
    )
  })

  test('sees every response once by the cursors of the change feed', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ size, more }) => {
        const before = ids.length
        const seen: number[] = []
        let cursor = ''
        for (;;) {
          const since = cursor && `&since=${encodeURIComponent(cursor)}`
          const { status, body } = await ann.get(
            `/api/v3/surveys/${survey}/responses/changes/?page_size=${size}${since}`,
          )
          expect(status).toBe(200)
          seen.push(...body.results.map((change: { response_id: number }) => change.response_id))
          cursor = body.next_cursor
          if (!body.more) break
          if (more.shift()) await answer(ids.length)
        }
        expect(seen.slice(0, before)).toEqual(ids.slice(0, before))
        expect(new Set(seen).size).toBe(seen.length)
      }),
      { numRuns: 8 },
    )
  })
})
