import { describe, expect, test } from '@jest/globals'
import { countWithin, daysUntil, type Pace, paceOf } from '../../../src/domain/report/fieldwork/forecast.ts'
import { seededRandom } from '../../../src/lib/random.ts'

const DAYS = [12, 9, 15, 11, 8, 14, 10]

describe('paceOf', () => {
  test.each([
    ['two days', [40, 40]],
    ['nine responses', [3, 3, 3]],
    ['no days', []],
    ['no responses', [0, 0, 0, 0]],
  ])('gives no pace for %s', (_, counts) => {
    expect(paceOf(counts)).toBeUndefined()
  })

  test('gives the mean, and the variance divided by the mean, which is at least 1', () => {
    expect(paceOf([4, 4, 4])).toEqual({ days: 3, complete: 12, perDay: 4, dispersion: 1 })
    expect(paceOf([0, 0, 12])).toEqual({ days: 3, complete: 12, perDay: 4, dispersion: 12 })
  })
})

describe('daysUntil', () => {
  test('is between the ends of its interval, which are the days on which the count within them reaches the target', () => {
    const pace = paceOf(DAYS)!
    for (const remaining of [1, 5, 40, 400]) {
      const { expected, low, high } = daysUntil(remaining, pace)!
      expect(expected).toBeCloseTo((remaining * 7) / 79, 10)
      expect(low).toBeLessThan(expected)
      expect(high!).toBeGreaterThan(expected)
      expect(countWithin(low, pace).high).toBeCloseTo(remaining, 6)
      expect(countWithin(high!, pace).low).toBeCloseTo(remaining, 6)
    }
  })

  test('has no upper end if the days differ so much that the pace could be 0, and no value beyond ten years', () => {
    const uneven = paceOf([0, 0, 0, 60])!
    expect(daysUntil(10, uneven)).toMatchObject({ expected: 10 / 15, high: null })
    expect(daysUntil(10, uneven)!.low).toBeGreaterThan(0)
    expect(daysUntil(1_000_000, paceOf(DAYS)!)).toBeUndefined()
    expect(daysUntil(0, uneven)).toEqual({ expected: 0, low: 0, high: 0 })
  })

  test('contains the true day in about 95 % of simulated surveys, also if the days differ more than by chance', () => {
    const seed = Number(process.env.TEST_SEED ?? 20261128)
    const random = seededRandom(seed)
    for (const isUneven of [false, true]) {
      // The rate of a day: 30, or 15 and 45 in turn by chance.
      const day = () => poisson(isUneven ? (random() < 0.5 ? 15 : 45) : 30, random)
      let [inside, trials] = [0, 0]
      for (let trial = 0; trial < 1_500; trial += 1) {
        const pace = paceOf(Array.from({ length: 7 }, day))
        const forecast = pace && daysUntil(300, pace)
        if (!forecast) continue
        trials += 1
        const actual = simulatedDays(300, day)
        if (actual >= forecast.low && (forecast.high === null || actual <= forecast.high)) inside += 1
      }
      // The dispersion is itself estimated from 7 days, so that the share is a little below 95 %.
      expect({ seed, isUneven, share: inside / trials > 0.9 }).toEqual({ seed, isUneven, share: true })
      expect({ seed, isUneven, share: inside / trials < 0.995 }).toEqual({ seed, isUneven, share: true })
    }
  })
})

/** Returns the days until a number of responses, with the part of the last day that it takes. */
function simulatedDays(target: number, day: () => number): number {
  let [total, days] = [0, 0]
  for (;;) {
    const count = day()
    if (total + count >= target) return days + (target - total) / count
    total += count
    days += 1
  }
}

/** Returns a random number of a Poisson distribution (Knuth). */
function poisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean)
  let [count, product] = [0, random()]
  while (product > limit) {
    count += 1
    product *= random()
  }
  return count
}

describe('countWithin', () => {
  test('is never below 0, and wider for a longer time', () => {
    const pace: Pace = paceOf([1, 9, 2])!
    expect(countWithin(0, pace)).toEqual({ expected: 0, low: 0, high: 0 })
    expect(countWithin(1, pace).low).toBe(0)
    const width = (days: number) => countWithin(days, pace).high - countWithin(days, pace).expected
    expect(width(10)).toBeGreaterThan(2 * width(4))
  })
})
