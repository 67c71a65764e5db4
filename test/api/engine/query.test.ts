import { describe, expect, it } from '@jest/globals'
import { fieldErrorsIn, useService } from './service.ts'

const service = useService()
const queryOf = async (search: string) => (await service.get(`/things/?${search}`)).body.query
const errorsOf = async (path: string) => {
  const reply = await service.get(path)
  expect(reply.status).toBe(400)
  expect(reply.body.code).toBe('invalid_request')
  return fieldErrorsIn(reply)
}

describe('declared parameters [spec 2.3]', () => {
  it('have defaults', async () => expect(await queryOf('')).toEqual({ page: 1 }))
  it('are coerced', async () => expect(await queryOf('page=3&order=up')).toEqual({ page: 3, order: 'up' }))
  it('are treated as absent if they are optional numbers with an empty value', async () =>
    expect(await queryOf('page=')).toEqual({ page: 1 }))
  it('are lists if they are declared as lists, also if they occur only once', async () => {
    expect(await queryOf('tags=a&tags=b%2Cc')).toEqual({ page: 1, tags: ['a', 'b,c'] })
    expect(await queryOf('tags=a')).toEqual({ page: 1, tags: ['a'] })
  })
  it.each(['1+2+3', '1%2B2%2B3', '1%202%203', '1,2,3', '1%2C2,3'])('read ids=%s as three IDs', async (ids) => {
    expect((await queryOf(`ids=${ids}`)).ids).toEqual([1, 2, 3])
  })
  it('are split at commas unless they are declared with explode: true', async () => {
    expect((await queryOf('commas=4,5')).commas).toEqual([4, 5])
  })
  it('return 400 with the names of all invalid ones', async () => {
    expect(await errorsOf('/things/?page=x&order=left&ids=1,b&color=red')).toEqual([
      'page: must be a whole number',
      'order: must be up or down',
      'ids[1]: must be a whole number',
    ])
  })
  it.each(['page=1&page=2', 'page=1.5', 'page=99999999999999999', 'page=0x1', 'page=-1'])(
    'return 400 for %s',
    async (search) => {
      expect((await errorsOf(`/things/?${search}`)).every((error) => error.startsWith('page: '))).toBe(true)
    },
  )
})

describe('flags [spec 2.3, 7.6]', () => {
  it.each(['structure', 'structure=', 'structure=true', 'structure=1', 'structure=yes', 'structure=ON'])(
    'are on for %s',
    async (search) => {
      expect((await queryOf(search)).structure).toBe(true)
    },
  )
  it.each(['false', '0', 'no', 'off'])('are off for structure=%s', async (value) => {
    expect((await queryOf(`structure=${value}`)).structure).toBe(false)
  })
  it('return 400 for other values', async () => {
    expect(await errorsOf('/things/?structure=perhaps')).toEqual(['structure: must be true or false'])
  })
})

describe('percent encoding [spec 2.3]', () => {
  it.each([
    ['order=%ZZ', 'order: must be percent-encoded UTF-8'],
    ['order=%FF', 'order: must be percent-encoded UTF-8'],
    ['order=a%00b', 'order: must not contain the character U+0000'],
  ])('returns 400 with the parameter for %s', async (search, fieldError) => {
    expect(await errorsOf(`/things/?${search}`)).toEqual([fieldError])
  })
  it.each(['%ZZ=1', '=1', 'a%00=%FF', '_created_at%3E2026-01-01'])(
    'ignores %s in an operation without filters, and checks it as a filter in an operation with filters',
    async (search) => {
      expect(await queryOf(`page=3&${search}`)).toEqual({ page: 3 })
      const filtered = await service.get(`/things/7/answers/?${search}`)
      expect(filtered.status).toBe(search.startsWith('_') ? 200 : 400)
    },
  )
})

describe('unknown parameters [spec 2.3]', () => {
  it.each([
    'format=json',
    '_=1400000000',
    'callback=jQuery1',
    'limit=5&offset=x',
    'access_token=x',
    '__proto__=1&constructor=2',
  ])('are ignored in %s', async (search) => expect(await queryOf(`page=3&${search}`)).toEqual({ page: 3 }))
  it('are ignored where no parameter is declared', async () => {
    expect((await service.get('/me?format=json')).body.query).toEqual({})
  })
})

describe('lists', () => {
  it('may have brackets after their name, as in PHP and Rails', async () => {
    expect(await queryOf('tags[]=a&tags%5B%5D=b')).toEqual({ page: 1, tags: ['a', 'b'] })
    expect(await queryOf('ids[]=1')).toEqual({ page: 1, ids: [1] })
  })
  it('separate numbers by commas, spaces or plus signs, whatever their declaration', async () => {
    expect(await queryOf('commas=1+2%2C3,4%2B5')).toEqual({ page: 1, commas: [1, 2, 3, 4, 5] })
  })
})

describe('a free-form parameter', () => {
  it('accepts every undeclared name verbatim and keeps the raw query', async () => {
    const search = '_created_at>2026-01-01&q1=3&q%5B1%5D=a&q1=4&page=2&flag&__proto__=x'
    const reply = await service.raw(
      `GET /api/things/7/answers/?${search} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    const { query, search: raw } = JSON.parse(reply.slice(reply.indexOf('{')))
    expect(raw).toBe(search)
    expect(query.page).toBe(2)
    expect(Object.entries(query.filters)).toEqual([
      ['_created_at>2026-01-01', ''],
      ['q1', ['3', '4']],
      ['q[1]', 'a'],
      ['flag', ''],
      ['__proto__', 'x'],
    ])
  })
})
