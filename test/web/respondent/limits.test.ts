import { expect, test } from '@jest/globals'
import { Visitor } from '../../support/http-browser.ts'
import { pageOf, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ settings: { RATE_LIMIT: 'on', TRUSTED_PROXIES: '1', SUBMISSIONS_PER_MINUTE: '3' } })

test('returns 429 and the page with the entered values above the limit of a network, and serves other networks', async () => {
  const person = await world.person()
  const { path } = await surveyOf(world, person, { title: 'Tea', form: [pageOf(text('q0'))] })
  /** Submits the survey as a new visitor. */
  const answer = (address: string, fields: Record<string, string> = {}) =>
    new Visitor(world.base).post(
      path,
      { q0: 'Tea with <milk>', _go: 'next', ...fields },
      { 'x-forwarded-for': address },
    )
  for (let n = 0; n < 3; n += 1) expect((await answer('2001:db8::1')).status).toBe(303)
  const held = await answer('2001:db8::2')
  expect(held.status).toBe(429)
  expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(held.text).toContain('Too many answers are arriving from your network')
  expect(held.text).toContain('Tea with &lt;milk&gt;')
  expect((await answer('2001:db8::1', { _go: 'look' })).status).toBe(200)
  expect((await answer('192.0.2.1')).status).toBe(303)
  const { rows } = await world.application.services.pool.query('select count(*)::int as stored from response')
  expect(rows).toEqual([{ stored: 4 }])
})

test('does not count pages from loopback addresses', async () => {
  const { path } = await surveyOf(world, await world.person(), { title: 'Tea', form: [pageOf(text('q0'))] })
  for (let n = 0; n < 8; n += 1)
    expect((await new Visitor(world.base).post(path, { q0: 'Tea', _go: 'next' })).status).toBe(303)
})

test('does not count responses created through the API', async () => {
  const person = await world.person()
  const { id } = (await person.post('/api/v2/surveys/', { json: { title: 'Lunch', form: [] } })).body
  for (let n = 0; n < 8; n += 1)
    expect((await person.post(`/api/v3/surveys/${id}/responses/`, { form: { _completed: 1 } })).status).toBe(201)
})
