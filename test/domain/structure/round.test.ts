import { describe, expect, test } from '@jest/globals'
import { roundDecimal, roundSignificant } from '../../../src/domain/structure/round.ts'
import fc from '../../support/fast-check.ts'

describe('roundSignificant', () => {
  test('adds up decimal numbers of a few digits as people do', () => {
    const cents = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 50 })
    fc.assert(
      fc.property(cents, (parts) => {
        const sum = parts.reduce((total, part) => total + part / 100, 0)
        expect(roundSignificant(sum)).toBe(parts.reduce((total, part) => total + part, 0) / 100 + 0)
      }),
    )
  })
})

describe('roundDecimal', () => {
  test.each([
    [1.005, 2, 1.01],
    [0.285, 2, 0.29],
    [-2.5, 0, -3],
    [-0.4, 0, 0],
    [0.1 + 0.2, 15, 0.3],
    [123_456_789.987654, 2, 123_456_789.99],
  ])('rounds %p to %p decimals: %p', (value, decimals, expected) => {
    expect(roundDecimal(value, decimals)).toBe(expected)
  })
})
