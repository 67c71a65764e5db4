import { describe, expect, test } from '@jest/globals'
import { pageReply } from '../../src/api/paging.ts'
import { pageOf, sliceOf } from '../../src/lib/paging.ts'

const sizes = { default: 10, max: 100 }
const uri = 'http://here/api/v3/things/'

describe('pageOf [spec 2.6]', () => {
  test.each([
    [undefined, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [2, 2, 10],
    [-7, 1, 0],
  ])('page %s of a collection that counts from 1 is page %s at offset %s', (page, number, offset) => {
    expect(pageOf({ page, first: 1, ...sizes })).toEqual({ number, first: 1, offset, limit: 10 })
  })

  test('counts page 1 of a zero-based collection as the second page', () => {
    expect(pageOf({ page: 1, pageSize: 25, first: 0, ...sizes })).toMatchObject({ offset: 25, limit: 25 })
  })

  test.each([
    [undefined, 10],
    [0, 10],
    [-3, 10],
    [100, 100],
    [101, 100],
  ])('limits the page size %s to %s', (pageSize, limit) => {
    expect(pageOf({ pageSize, first: 0, ...sizes }).limit).toBe(limit)
  })

  test('limits a huge page number to a number that the database accepts', () => {
    expect(pageOf({ page: 1e300, first: 0, ...sizes }).offset).toBe(Number.MAX_SAFE_INTEGER)
  })
})

test('sliceOf keeps offset and limit within their bounds [spec 2.6]', () => {
  expect(sliceOf({ offset: 3, limit: 4, ...sizes })).toEqual({ offset: 3, limit: 4 })
  expect(sliceOf({ offset: -3, limit: 4_000, ...sizes })).toEqual({ offset: 0, limit: 100 })
})

describe('pageReply', () => {
  const second = pageOf({ page: 1, first: 0, ...sizes })

  test('keeps every parameter in next and previous, encoded where a URL requires it', () => {
    const { body } = pageReply(uri, '_created_at>2024-01-01&page=1&q1=a%20b&name=%zz', second, 35, [])
    expect(body.next).toBe(`${uri}?_created_at%3E2024-01-01&page=2&q1=a%20b&name=%25zz`)
    expect(body.previous).toBe(`${uri}?_created_at%3E2024-01-01&page=0&q1=a%20b&name=%25zz`)
  })

  test('returns no links for a single page', () => {
    const { body } = pageReply(uri, '', pageOf({ first: 1, ...sizes }), 10, [1])
    expect(body).toEqual({ count: 10, next: null, previous: null, results: [1] })
  })

  test('links from a page beyond the end to the last page', () => {
    const { body } = pageReply(uri, '?page=9', pageOf({ page: 9, first: 0, ...sizes }), 15, [])
    expect(body).toMatchObject({ next: null, previous: `${uri}?page=1` })
  })

  test('names first, prev, next and last in the Link header', () => {
    const at = (page: number, rel: string) => `<${uri}?page=${page}>; rel="${rel}"`
    expect(pageReply(uri, '', second, 35, []).headers.Link).toBe(
      [at(0, 'first'), at(0, 'prev'), at(2, 'next'), at(3, 'last')].join(', '),
    )
  })
})
