import { expect, test } from '@jest/globals'
import { numberStructure } from '../../../src/domain/structure/numbering.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import fc from '../../support/fast-check.ts'
import { validStructure } from '../../support/structures.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('createSurvey stores structures that getStructure of v3 returns in normalised form and with stable numbers [spec 6.3]', async () => {
  const ann = await world.person()
  // PostgreSQL does not store U+0000 and unpaired surrogates.
  const sendable = validStructure.filter((json) => {
    const text = JSON.stringify(json)
    return !/\\u0000|\\u[dD][89a-fA-F]/.test(text) && text.isWellFormed()
  })
  await fc.assert(
    fc.asyncProperty(sendable, async (json) => {
      const created = await ann.post('/api/v2/surveys/', { json: json as object })
      expect([created.status, created.body.code]).toEqual([200, undefined])
      const { body } = await ann.get(`/api/v3/surveys/${created.body.id}/structure/`)
      expect(body).toEqual(numberStructure(normaliseStructure(json)).structure)
    }),
    { numRuns: 40 },
  )
})
