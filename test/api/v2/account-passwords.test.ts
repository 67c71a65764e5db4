import { beforeAll, describe, expect, test } from '@jest/globals'
import { setPassword } from '../../../src/domain/account/change-password.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let developer: Person
beforeAll(async () => {
  developer = await world.person({ isDeveloper: true })
})
let count = 0
const createUser = (password: string, draft: Record<string, string> = {}) => {
  count += 1
  const json = { email: `new${count}@example.org`, username: `new${count}`, ...draft, password }
  return developer.post('/api/v2/users/', { json })
}

describe('createUser', () => {
  test.each([
    'password',
    'Password1!',
    '12345678',
    '87654321',
    'abcdefgh',
    'qwertzui',
    '        ',
    'aaaaaaaa',
    '12121212',
    'Willkommen2024',
    // Stolen passwords (@zxcvbn-ts/language-common).
    'Snowboard1999',
    'zaq12wsx',
  ])('returns 400 for the common password %j', async (password) => {
    const { status, body } = await createUser(password)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.description).toMatch(/^password: is too easy to guess/)
  })

  test('returns 400 for a password equal to the username or the email address', async () => {
    expect((await createUser('Annabelle1', { username: 'annabelle' })).status).toBe(400)
    expect((await createUser('annabelle@example.net', { email: 'Annabelle@example.net' })).status).toBe(400)
  })

  test.each(['correct horse', 'päßwörter und mehr', 'a1!a1!b2', 'secretary of state'])(
    'accepts the password %j',
    async (password) => {
      expect((await createUser(password)).status).toBe(200)
    },
  )

  test('returns 400 for an email address that a mail server could read as another one', async () => {
    for (const email of [
      'a,b@c.example',
      'x:a,y@b.example',
      'victim@b.example(c)',
      'a b@c.example',
      'a..b@c.example',
      '.a@c.example',
      'a@c,d.example',
      'a@[127.0.0.1]',
    ])
      expect([email, (await createUser('correct horse', { email })).status]).toEqual([email, 400])
    for (const email of ["o'neil+tag@sub.example.org", 'müller@exämple.org', 'a_b-c!#$%&*/=?^`{|}~@example.org'])
      expect([email, (await createUser('correct horse', { email })).status]).toEqual([email, 200])
  })
})

test('authentication accepts an existing password that the current rules would reject', async () => {
  const ann = await world.person()
  await world
    .em()
    .transactional((em) => setPassword({ ...world.context(), em }, ann.actor.id, 'password', { applications: true }))
  expect((await ann.with(ann.actor.username, 'password').get('/api/v2/me')).status).toBe(200)
})
