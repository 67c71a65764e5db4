import { describe, expect, test } from '@jest/globals'
import { inspectConfig } from '../src/config.ts'

const inspect = (BASE_URL: string) => inspectConfig({ BASE_URL })

describe('BASE_URL', () => {
  test.each([
    ['https://example.org', 'https://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org/feedback/', 'https://example.org/feedback'],
    ['http://127.0.0.1:8080/a/b-c_d.e~f', 'http://127.0.0.1:8080/a/b-c_d.e~f'],
  ])('%s is valid', (text, baseUrl) => {
    expect(inspect(text)).toMatchObject({ config: { baseUrl }, errors: [] })
  })

  test.each([
    'https://example.org/?a=1',
    'https://example.org/feedback#top',
    'https://ann@example.org/feedback',
    'https://example.org/two%20words',
    'https://example.org/a;b',
    'https://example.org/a//b',
    'https://example.org/é',
    'ftp://example.org/',
  ])('%s is refused', (text) => {
    expect(inspect(text).errors).toEqual([{ name: 'BASE_URL', message: expect.stringContaining('BASE_URL') }])
  })
})
