import { describe, expect, it } from '@jest/globals'
import { hashPassword } from '../../../src/domain/account/password.ts'
import { addSurvey } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'
import { oneQuestion } from '../sample-surveys.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})

const addProtectedSurvey = async () =>
  addSurvey(await world.person(), oneQuestion, { password_hash: await hashPassword('open sesame') })
const submitPassword = (path: string, password: string) => world.anonymous.post(path, { form: { _password: password } })
const submitWrongPasswords = async (path: string, times: number) => {
  for (let n = 0; n < times; n += 1)
    expect((await submitPassword(path, `wrong ${n}`)).headers.get('location')).toContain('_denied=password')
}

describe('the password of a survey', () => {
  it('returns 429 with Retry-After after ten wrong passwords', async () => {
    const { path } = await addProtectedSurvey()
    await submitWrongPasswords(path, 10)
    const reply = await submitPassword(path, 'open sesame')
    expect(reply.status).toBe(303)
    const throttled = await world.anonymous.get(reply.headers.get('location')!)
    expect(throttled.status).toBe(429)
    expect(throttled.headers.get('retry-after')).toBe('60')
    expect(throttled.text).toContain('Too many incorrect passwords. Try again in 1 min.')
    expect(throttled.text).toContain('name="_password"')
    const startTime = world.now
    world.now = new Date(startTime.getTime() + 31_000)
    expect((await submitPassword(path, 'open sesame')).headers.get('location')).toBe(`${path}?_denied=cookies`)
    await submitWrongPasswords(path, 1)
    world.now = startTime
  })

  it('counts wrong passwords per survey, over all its collectors and responses', async () => {
    const [first, second] = [await addProtectedSurvey(), await addProtectedSurvey()]
    await submitWrongPasswords(`${first.path}?collector=7`, 5)
    await submitWrongPasswords(`${first.path}${'ab'.repeat(20)}/`, 5)
    expect((await submitPassword(first.path, 'x')).headers.get('location')).toBe(`${first.path}?_denied=1`)
    expect((await submitPassword(second.path, 'open sesame')).headers.get('location')).toBe(
      `${second.path}?_denied=cookies`,
    )
  })
})
