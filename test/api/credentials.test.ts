import { describe, expect, jest, test } from '@jest/globals'
import { Account } from '../../src/domain/account/account.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('authentication', () => {
  test('looks up the same credentials once for concurrent requests', async () => {
    const ann = await world.person()
    const find = jest.spyOn(Object.getPrototypeOf(world.em()), 'findOne')
    const replies = await Promise.all(Array.from({ length: 20 }, () => ann.get('/api/v3/surveys/')))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(find.mock.calls.filter(([entity]) => entity !== Account)).toHaveLength(1)
    find.mockRestore()
  })

  test('rejects wrong credentials each time, also during requests with valid credentials', async () => {
    const ann = await world.person()
    const wrong = ann.with(ann.apiKey, 'not the password')
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? ann : wrong).get('/api/v3/surveys/')),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, n) => (n % 2 ? 200 : 401)))
    const rejected = await wrong.get('/api/v3/surveys/')
    expect(rejected.status).toBe(401)
    expect(rejected.body.detail).toMatch(/^Invalid credentials/)
    expect((await world.anonymous.get('/api/v3/surveys/')).body.detail).toMatch(/^Authentication required/)
  })
})
