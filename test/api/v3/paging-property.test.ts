import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from '../../support/fast-check.ts'
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
  for (let index = 0; index < 23; index += 1) await answer(index)
})

async function answer(index: number): Promise<void> {
  ids.push((await respond(world, survey, { answers: { q: index % 2 } })).id)
}

describe('a client that reads all pages during new submissions', () => {
  // The page size, and whether a response is stored after each page.
  const reading = fc.record({
    size: fc.integer({ min: 1, max: 12 }),
    submissions: fc.array(fc.boolean(), { maxLength: 8 }),
  })

  test('sees every response once by following next with and without a filter', async () => {
    await fc.assert(
      fc.asyncProperty(reading, fc.boolean(), async ({ size, submissions }, filtered) => {
        const before = [...ids]
        const all = filtered ? before.filter((_, index) => index % 2 === 1) : before
        const seenIds: number[] = []
        let next: string | null = `/api/v3/surveys/${survey}/responses/?page_size=${size}${filtered ? '&q=b' : ''}`
        while (next) {
          const { status, body } = await ann.get(next)
          expect(status).toBe(200)
          seenIds.push(...body.results.map(({ _id }: { _id: number }) => _id))
          next = body.next
          if (submissions.shift()) await answer(ids.length)
        }
        expect(new Set(seenIds).size).toBe(seenIds.length)
        expect(seenIds.slice(0, all.length)).toEqual(all)
      }),
      { numRuns: 12 },
    )
  })

  test('sees every response once by the cursors of the change feed', async () => {
    await fc.assert(
      fc.asyncProperty(reading, async ({ size, submissions }) => {
        const before = ids.length
        const seenIds: number[] = []
        let cursor = ''
        for (;;) {
          const since = cursor && `&since=${encodeURIComponent(cursor)}`
          const { status, body } = await ann.get(
            `/api/v3/surveys/${survey}/responses/changes/?page_size=${size}${since}`,
          )
          expect(status).toBe(200)
          seenIds.push(...body.results.map((change: { response_id: number }) => change.response_id))
          cursor = body.next_cursor
          if (!body.more) break
          if (submissions.shift()) await answer(ids.length)
        }
        expect(seenIds.slice(0, before)).toEqual(ids.slice(0, before))
        expect(new Set(seenIds).size).toBe(seenIds.length)
      }),
      { numRuns: 8 },
    )
  })
})
