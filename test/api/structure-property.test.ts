import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { numberStructure } from '../../src/domain/structure/numbering.ts'
import { normaliseStructure } from '../../src/domain/structure/structure.ts'
import { validStructure } from '../support/structures.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test('a structure sent through v2 is read through v3 as it is normalised', async () => {
  const ann = await world.person()
  // The database keeps no U+0000, and half of a pair of surrogates is no text.
  const sendable = validStructure.filter((json) => {
    const text = JSON.stringify(json)
    return !/\\u0000|\\u[dD][89a-fA-F]/.test(text) && text.isWellFormed()
  })
  await fc.assert(
    fc.asyncProperty(sendable, async (json) => {
      const made = await ann.post('/api/v2/surveys/', { json: json as object })
      expect([made.status, made.body.code]).toEqual([200, undefined])
      const { body } = await ann.get(`/api/v3/surveys/${made.body.id}/structure/`)
      expect(body).toEqual(numberStructure(normaliseStructure(json)).structure)
    }),
    { numRuns: 40 },
  )
})
