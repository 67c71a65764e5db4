import { describe, expect, it } from '@jest/globals'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { surveyOf } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { little } from '../sample-surveys.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})

const locked = async () =>
  surveyOf(world, await world.person(), little, { password_hash: await hashPassword('open sesame') })
const give = (path: string, password: string) => world.anonymous.post(path, { form: { _password: password } })
const guess = async (path: string, times: number) => {
  for (let n = 0; n < times; n += 1)
    expect((await give(path, `guess ${n}`)).headers.get('location')).toContain('_denied=password')
}

describe('the password of a survey', () => {
  it('returns 429 with Retry-After after ten wrong attempts', async () => {
    const { path } = await locked()
    await guess(path, 10)
    const sent = await give(path, 'open sesame')
    expect(sent.status).toBe(303)
    const held = await world.anonymous.get(sent.headers.get('location')!)
    expect(held.status).toBe(429)
    expect(held.headers.get('retry-after')).toBe('60')
    expect(held.text).toContain('Too many incorrect passwords. Try again in 1 min.')
    expect(held.text).toContain('name="_password"')
    const before = world.now
    world.now = new Date(before.getTime() + 31_000)
    expect((await give(path, 'open sesame')).headers.get('location')).toBe(path)
    await guess(path, 1)
    world.now = before
  })

  it('counts attempts per survey, for every collector and response', async () => {
    const [one, two] = [await locked(), await locked()]
    await guess(`${one.path}?collector=7`, 5)
    await guess(`${one.path}${'ab'.repeat(20)}/`, 5)
    expect((await give(one.path, 'x')).headers.get('location')).toBe(`${one.path}?_denied=1`)
    expect((await give(two.path, 'open sesame')).headers.get('location')).toBe(two.path)
  })
})
