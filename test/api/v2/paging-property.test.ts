import { expect, test } from '@jest/globals'
import fc from '../../support/fast-check.ts'
import { respond } from '../../support/respondents.ts'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('listResponses returns every response once by offset and limit during new submissions', async () => {
  const ann = await world.person()
  const survey = await makeSurvey(ann)
  const ids: number[] = []
  const submit = async () => ids.push((await respond(world, survey)).id)
  for (let count = 0; count < 23; count += 1) await submit()
  const reading = fc.record({
    limit: fc.integer({ min: 1, max: 12 }),
    submissions: fc.array(fc.boolean(), { maxLength: 8 }),
  })
  const property = fc.asyncProperty(reading, async ({ limit, submissions }) => {
    const before = [...ids]
    const seenIds: number[] = []
    for (let offset = 0; ; offset += limit) {
      const { status, body } = await ann.get(`/api/v2/surveys/${survey}/responses/?offset=${offset}&limit=${limit}`)
      expect(status).toBe(200)
      seenIds.push(...body.responses.map(({ _id }: { _id: number }) => _id))
      if (body.responses.length < limit) break
      if (submissions.shift()) await submit()
    }
    expect(new Set(seenIds).size).toBe(seenIds.length)
    expect(seenIds.slice(0, before.length)).toEqual(before)
  })
  await fc.assert(property, { numRuns: 12 })
})
