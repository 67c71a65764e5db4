import { describe, expect, test } from '@jest/globals'
import { decodeFlash, encodeFlash } from '../../src/web/layout/app-shell.ts'

const cookieOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('the message of an action', () => {
  test('is read from the cookie with its undo form, unless the form is too long for a cookie', () => {
    const undo = { action: '/account/surveys/1/live/', fields: { back: '/account/' } }
    expect(decodeFlash(encodeFlash({ text: '“Tea” closed', undo }))).toEqual({ text: '“Tea” closed', undo })
    const long = encodeFlash({ text: 'x'.repeat(600), undo: { ...undo, fields: { add: 'y'.repeat(4_000) } } })
    expect(long.length).toBeLessThan(4_000)
    expect(decodeFlash(long)).toEqual({ text: 'x'.repeat(500), undo: undefined })
  })

  test.each([
    ['no JSON', 'Saved.'],
    ['no text', cookieOf({ undo: {} })],
    ['another type', cookieOf(null)],
  ])('is ignored if the cookie has %s', (_, cookie) => {
    expect(decodeFlash(cookie)).toBeUndefined()
  })

  test.each([
    { action: 'https://evil.example/', fields: {} },
    { action: '//evil.example/', fields: {} },
    { action: '/account/', fields: { a: 1 } },
    { action: '/account/', fields: null },
  ])('is read without its undo form if the form is invalid: %j', (undo) => {
    expect(decodeFlash(cookieOf({ text: 'Saved.', undo }))).toEqual({ text: 'Saved.', undo: undefined })
  })
})
