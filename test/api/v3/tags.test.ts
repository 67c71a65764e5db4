import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let uri: string
beforeAll(async () => {
  ann = await world.person()
  uri = (await ann.post('/api/v3/surveys/', { form: { name: 'Tagged' } })).body.tags_uri
})
const tags = async () => (await ann.get(`${uri}?page_size=100`)).body.results.map(({ name }: { name: string }) => name)

describe('addTag [spec 5.8]', () => {
  test('accepts a name in JSON, form and multipart', async () => {
    expect(await ann.post(uri, { form: { name: ' one ' } })).toMatchObject({ status: 201, body: { name: 'one' } })
    expect((await ann.post(uri, { json: { name: 'zwei "2", {x}' } })).status).toBe(201)
    expect((await ann.post(uri, { multipart: { name: 'trois' } })).status).toBe(201)
    expect(await tags()).toEqual(['one', 'zwei "2", {x}', 'trois'])
  })

  test('accepts names that have a special meaning in PostgreSQL, such as null and {}', async () => {
    const { tags_uri: other } = (await ann.post('/api/v3/surveys/', { form: { name: 'Odd' } })).body
    const odd = ['null', 'NULL', '{}', 'a\\nb', "it's"]
    for (const name of odd) expect((await ann.post(other, { json: { name } })).status).toBe(201)
    const { body } = await ann.get(other)
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(odd)
  })

  test('keeps an existing tag once', async () => {
    expect((await ann.post(uri, { form: { name: 'one' } })).status).toBe(201)
    expect((await tags()).filter((tag: string) => tag === 'one')).toHaveLength(1)
  })

  test.each([[{}], [{ name: '' }], [{ name: ' ' }], [{ name: 'x'.repeat(101) }]])(
    'returns 400 for %j',
    async (form) => {
      expect(await ann.post(uri, { form })).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
    },
  )

  test('keeps all tags of concurrent requests', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `concurrent ${index}`)
    const replies = await Promise.all(names.map((name) => ann.post(uri, { form: { name } })))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(await tags()).toEqual(expect.arrayContaining(names))
  })
})

describe('listTags', () => {
  test('returns pages of tags', async () => {
    const { body } = await ann.get(`${uri}?page_size=2&page=2`)
    expect(body).toMatchObject({ count: 11, results: [{ name: 'trois' }, expect.anything()] })
    expect(body.next).toBe(`${uri}?page_size=2&page=3`)
    expect(body.previous).toBe(`${uri}?page_size=2&page=1`)
  })
})

describe('removeTag [spec 5.8]', () => {
  test('accepts the name in the query or in the body', async () => {
    expect(await ann.delete(`${uri}?name=one`)).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.delete(uri, { form: { name: 'trois' } })).status).toBe(200)
    expect((await ann.delete(uri, { json: { name: 'zwei "2", {x}' } })).status).toBe(200)
    expect(await tags()).not.toEqual(expect.arrayContaining(['one']))
    expect((await tags()).length).toBe(8)
  })

  test('returns 404 for an unknown tag and 400 without a name', async () => {
    expect(await ann.delete(`${uri}?name=never`)).toMatchObject({ status: 404, body: { code: 'tag_not_found' } })
    expect(await ann.delete(uri)).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
  })
})
