import { describe, expect, test } from '@jest/globals'
import { canonicalTimeZone, localTime, momentOf } from '../../src/lib/time-zone.ts'
import fc from '../support/fast-check.ts'

const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Santiago',
  'Africa/Casablanca',
)
const seconds = fc.integer({ min: Date.UTC(2005, 0, 1) / 1000, max: Date.UTC(2035, 0, 1) / 1000 })

describe('momentOf', () => {
  test('is the inverse of localTime, except that it returns the first of two moments with one local time', () => {
    fc.assert(
      fc.property(zone, seconds, (timeZone, second) => {
        const at = new Date(second * 1000)
        const local = localTime(at, timeZone)
        const moment = momentOf(local, timeZone)!
        expect(localTime(moment, timeZone)).toBe(local)
        expect(moment.getTime()).toBeLessThanOrEqual(at.getTime())
        expect(at.getTime() - moment.getTime()).toBeLessThanOrEqual(3_600_000)
      }),
    )
  })

  test.each([
    ['2026-01-15T09:30', 'Europe/Berlin', '2026-01-15T08:30:00.000Z'],
    ['2026-07-15T09:30', 'Europe/Berlin', '2026-07-15T07:30:00.000Z'],
    // The clock is set forward at 02:00, and back at 03:00.
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    // A day that begins at 01:00.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-01-15T09:30:05', 'Asia/Kolkata', '2026-01-15T04:00:05.000Z'],
  ])('returns the moment of %s in %s', (local, timeZone, expected) => {
    expect(momentOf(local, timeZone)?.toISOString()).toBe(expected)
  })

  test.each(['', 'tomorrow', '2026-02-30', '2026-13-01T00:00', '2026-01-15T24:30', '2026-01-15T09:30Z'])(
    'returns nothing for %p',
    (local) => {
      expect(momentOf(local, 'Europe/Berlin')).toBeUndefined()
    },
  )
})

describe('canonicalTimeZone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Etc/UTC', 'UTC'],
    ['Europe/Nowhere', undefined],
    ['+01:00', undefined],
    ['', undefined],
    ['x'.repeat(1000), undefined],
  ])('returns the name of %p', (name, expected) => {
    expect(canonicalTimeZone(name)).toBe(expected)
  })
})
