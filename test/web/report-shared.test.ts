import { beforeAll, describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { type Person, useWorld } from '../support/world.ts'
import { analyst, FULL, ten } from './survey-owner.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
let ann: Visitor
let person: Person
let id: number
let root: string
/** Two reports: on everything, and on one question of some responses. */
let [all, some] = ['', '']

beforeAll(async () => {
  ;({ browser: ann, person, id } = await analyst(world))
  await ten(world, id)
  await respond(world, id, { answers: FULL })
  root = `/account/surveys/${id}/reports/`
  await ann.get(root)
  all = await made({ title: 'Everything', scope: 'all', incomplete: 'on', share_text_answers: 'on' })
  some = await made({ title: 'Rye', scope: 'some', question: 'bread', query: 'bread=0', incomplete: 'on' })
})

/** The link of a new report, as the list shows it. */
async function made(fields: Record<string, string>): Promise<string> {
  await ann.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  const { to } = await ann.post(`${root}new/`, fields)
  const { text } = await ann.get(root)
  const [, link] = new RegExp(`<a href="${to}">.*?<a class="address" href="([^"]*)"`, 's').exec(text)!
  return new URL(link!).pathname
}

const enter = async (visitor: Visitor, path: string, password = 'open sesame') => visitor.post(path, { password })
async function guest(path: string): Promise<Visitor> {
  const visitor = new Visitor(world.base)
  await enter(visitor, path)
  return visitor
}

describe('a shared report', () => {
  test('shows nothing but the password form before the password is entered', async () => {
    const visitor = new Visitor(world.base)
    for (const path of [all, `${all}numbers.csv`, `${all}charts/bread/chart.svg`, `${all}texts/name/`, `${all}days/`]) {
      const { status, text } = await visitor.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).toContain('Enter the password to view this report.')
      expect(text).not.toMatch(/Everything|bread|Person/i)
    }
    const wrong = await enter(visitor, all, 'Open sesame')
    expect(wrong.status).toBe(403)
    expect(wrong.text).toContain('The password is incorrect.')
    expect((await enter(visitor, all)).to).toBe(all)
    const { text, headers } = await visitor.get(all)
    expect(text).toContain('<h1>Everything</h1>')
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('<p>Pumpernickel</p>')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('has no filter and no links to responses or pages of the survey', async () => {
    const visitor = await guest(all)
    const { text } = await visitor.get(all)
    expect(text).not.toContain('/account/')
    expect(text).not.toContain('<form')
    expect(text).not.toContain('class="areas"')
    for (const search of ['?bread=0', '?_id=1', '?view-base=bread%3D0', '?filter=completed'])
      expect((await visitor.get(all + search)).text).toContain('>11 responses</h2>')
  })

  test('applies its questions and its filter to every part', async () => {
    const visitor = await guest(some)
    expect((await visitor.get(some)).text).toContain('>4 responses</h2>')
    expect((await visitor.get(`${some}charts/bread/chart.png`)).headers.get('content-type')).toBe('image/png')
    expect((await visitor.get(`${some}numbers.csv`)).text.trim().split('\r\n')).toHaveLength(1 + 1 + 3 + 1)
    expect((await visitor.get(`${some}days/numbers.csv`)).text.trim().split('\r\n')).toHaveLength(1 + 4)
    for (const path of ['charts/nps/chart.svg', 'texts/name/', 'texts/mail/?view-words=ann'])
      expect((await visitor.get(some + path)).status).toBe(404)
  })

  test('lists shared text answers without links to responses', async () => {
    const { status, text } = await (await guest(all)).get(`${all}texts/name/?view-words=person`)
    expect(status).toBe(200)
    expect(text).toContain('<p>Person 9</p>')
    expect(text).not.toContain('/account/')
  })

  test('keeps text answers to the owner of the survey unless they are shared', async () => {
    const link = await made({ title: 'Figures only', scope: 'all', incomplete: 'on' })
    const visitor = await guest(link)
    const { text } = await visitor.get(link)
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('Text answers are not shared in this report.')
    expect(text).not.toMatch(/Pumpernickel|Person \d|ann@example\.org/)
    expect((await visitor.get(`${link}numbers.csv`)).text).not.toMatch(/Pumpernickel|Person \d|ann@example\.org/)
    for (const key of ['name', 'mail', 'bread%5Cother'])
      expect((await visitor.get(`${link}texts/${key}/`)).status).toBe(404)
    const own = /<a href="([^"]*)">Figures only</.exec((await ann.get(root)).text)![1]!
    expect((await ann.get(own)).text).toContain('<p>Pumpernickel</p>')
  })

  test('leaves out incomplete responses unless the owner includes them', async () => {
    const link = await made({ title: 'Complete', scope: 'all' })
    const { text } = await (await guest(link)).get(link)
    expect(text).toContain('>6 responses</h2>')
    expect(text).toContain('Incomplete responses are not included.')
    expect(text).not.toContain('Include incomplete responses')
  })

  test('opens all reports of its survey with one password, and no report of another survey', async () => {
    const visitor = await guest(all)
    expect((await visitor.get(some)).text).toContain('<h1>Rye</h1>')
    const other = await analyst(world)
    const there = `/account/surveys/${other.id}/reports/`
    await other.browser.get(there)
    await other.browser.post(`${there}sharing/`, { sharing_password: 'another one' })
    await other.browser.post(`${there}new/`, { title: 'Other', scope: 'all' })
    const link = /<a class="address" href="([^"]*)"/.exec((await other.browser.get(there)).text)![1]!
    expect((await visitor.get(new URL(link).pathname)).text).not.toContain('Other')
    await enter(visitor, new URL(link).pathname, 'another one')
    expect((await visitor.get(new URL(link).pathname)).text).toContain('<h1>Other</h1>')
    expect((await visitor.get(all)).text).toContain('<h1>Everything</h1>')
  })

  test('stops working with a new password, and returns 404 when sharing stops', async () => {
    const visitor = await guest(all)
    await person.post(`/api/v2/surveys/${id}/reports/`, { form: { sharing_password: 'new words' } })
    expect((await visitor.get(all)).text).toContain('Shared report')
    expect((await enter(visitor, all)).status).toBe(403)
    expect((await enter(visitor, all, 'new words')).to).toBe(all)
    await ann.get(root)
    await ann.post(`${root}sharing/`, { stop: '1' })
    expect((await visitor.get(all)).status).toBe(404)
    expect((await ann.get(root)).text).toContain('not shared')
    const refused = await ann.post(`${root}sharing/`, { sharing_password: '  ' })
    expect([refused.status, refused.text.includes('Enter a password.')]).toEqual([422, true])
    await ann.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  })

  test('returns 404 for an incomplete token', async () => {
    const visitor = await guest(all)
    const token = all.split('/')[2]!
    const number = Number(token.split('-')[0])
    for (const wrong of [String(number), `${number}-`, `${number + 1}-${token.split('-')[1]}`, token.slice(0, -1), 'x'])
      expect([wrong, (await visitor.get(`/reports/${wrong}/`)).status]).toEqual([wrong, 404])
  })

  test('rejects passwords from another site, and limits wrong ones', async () => {
    const visitor = new Visitor(world.base)
    const elsewhere = await visitor.post(all, { password: 'open sesame' }, { 'sec-fetch-site': 'cross-site' })
    expect(elsewhere.status).toBe(403)
    for (let tries = 0; tries < 10; tries += 1) expect((await enter(visitor, all, `guess ${tries}`)).status).toBe(403)
    const held = await enter(visitor, all)
    expect(held.status).toBe(429)
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0)
    world.now = new Date(world.now.getTime() + 86_400_000)
    expect((await enter(visitor, all)).to).toBe(all)
  })
})
