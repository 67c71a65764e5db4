import { describe, expect, test } from '@jest/globals'
import { paged } from '../../src/api/paging.ts'
import { pageOf, sliceOf } from '../../src/lib/paging.ts'

const sizes = { default: 10, max: 100 }
const uri = 'http://here/api/v3/things/'

describe('pageOf', () => {
  test.each([
    [undefined, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [2, 2, 10],
    [-7, 1, 0],
  ])('page %s of a collection that counts from 1 is page %s at offset %s', (page, number, offset) => {
    expect(pageOf({ page, first: 1, ...sizes })).toEqual({ number, first: 1, offset, limit: 10 })
  })

  test('page 1 of a collection that counts from 0 is the second', () => {
    expect(pageOf({ page: 1, pageSize: 25, first: 0, ...sizes })).toMatchObject({ offset: 25, limit: 25 })
  })

  test.each([
    [undefined, 10],
    [0, 10],
    [-3, 10],
    [100, 100],
    [101, 100],
  ])('a page size of %s is %s', (pageSize, limit) => {
    expect(pageOf({ pageSize, first: 0, ...sizes }).limit).toBe(limit)
  })

  test('a page number beyond counting stays a number the database takes', () => {
    expect(pageOf({ page: 1e300, first: 0, ...sizes }).offset).toBe(Number.MAX_SAFE_INTEGER)
  })
})

test('sliceOf takes offset and limit as they are, within bounds', () => {
  expect(sliceOf({ offset: 3, limit: 4, ...sizes })).toEqual({ offset: 3, limit: 4 })
  expect(sliceOf({ offset: -3, limit: 4_000, ...sizes })).toEqual({ offset: 0, limit: 100 })
})

describe('paged', () => {
  const second = pageOf({ page: 1, first: 0, ...sizes })

  test('next and previous keep every parameter, encoded where a URL needs it', () => {
    const { body } = paged(uri, '_created_at>2024-01-01&page=1&q1=a%20b&name=%zz', second, 35, [])
    expect(body.next).toBe(`${uri}?_created_at%3E2024-01-01&page=2&q1=a%20b&name=%25zz`)
    expect(body.previous).toBe(`${uri}?_created_at%3E2024-01-01&page=0&q1=a%20b&name=%25zz`)
  })

  test('the only page leads nowhere', () => {
    const { body } = paged(uri, '', pageOf({ first: 1, ...sizes }), 10, [1])
    expect(body).toEqual({ count: 10, next: null, previous: null, results: [1] })
  })

  test('a page beyond the end leads back to the last one', () => {
    const { body } = paged(uri, '?page=9', pageOf({ page: 9, first: 0, ...sizes }), 15, [])
    expect(body).toMatchObject({ next: null, previous: `${uri}?page=1` })
  })

  test('the Link header names first, prev, next and last', () => {
    const at = (page: number, rel: string) => `<${uri}?page=${page}>; rel="${rel}"`
    expect(paged(uri, '', second, 35, []).headers.Link).toBe(
      [at(0, 'first'), at(0, 'prev'), at(2, 'next'), at(3, 'last')].join(', '),
    )
  })
})
