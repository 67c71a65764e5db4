import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { type Person, useWorld } from '../support/world.ts'
import { addTenResponses, FULL_ANSWERS, signInOwner } from './survey-owner.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
let ownerBrowser: HttpBrowser
let person: Person
let id: number
let root: string
/** The paths of two shared reports: of all questions, and of one question with a filter. */
let [allPath, filteredPath] = ['', '']

beforeAll(async () => {
  ;({ person, browser: ownerBrowser, id } = await signInOwner(world))
  await addTenResponses(world, id)
  await respond(world, id, { answers: FULL_ANSWERS })
  root = `/account/surveys/${id}/reports/`
  // test/web/report-threshold.test.ts has reports with rounded numbers.
  await person.put(`/api/v3/surveys/${id}/settings/`, { json: { anonymity_threshold: 1 } })
  await ownerBrowser.get(root)
  allPath = await createReport({ title: 'Everything', scope: 'all', incomplete: 'on', share_text_answers: 'on' })
  filteredPath = await createReport({
    title: 'Rye',
    scope: 'some',
    question: 'bread',
    query: 'bread=0',
    incomplete: 'on',
  })
})

/** Creates a shared report. @returns its path */
async function createReport(fields: Record<string, string>): Promise<string> {
  await ownerBrowser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  const { to } = await ownerBrowser.post(`${root}new/`, fields)
  const { text } = await ownerBrowser.get(root)
  const [, link] = new RegExp(`<a href="${to}">.*?<a class="address" href="([^"]*)"`, 's').exec(text)!
  return new URL(link!).pathname
}

const enterPassword = async (browser: HttpBrowser, path: string, password = 'open sesame') =>
  browser.post(path, { password })
async function enterAsGuest(path: string): Promise<HttpBrowser> {
  const browser = new HttpBrowser(world.base)
  await enterPassword(browser, path)
  return browser
}

describe('the list of reports', () => {
  test('leads to tables of all answers, and asks for a password when there is a report to share', async () => {
    const { browser, id: other } = await signInOwner(world)
    const list = `/account/surveys/${other}/reports/`
    const { text } = await browser.get(list)
    for (const path of ['cross-table/', 'groups/']) {
      const [, link = ''] = new RegExp(`href="(${list}[^"]*/${path})"`).exec(text) ?? []
      expect([path, (await browser.get(link)).status]).toEqual([path, 200])
    }
    expect(text).not.toContain('name="sharing_password"')
    await browser.post(`${list}new/`, { title: 'Everything', scope: 'all' })
    expect((await browser.get(list)).text).toContain('name="sharing_password"')
  })
})

describe('a shared report', () => {
  test('shows only the password form until the password is entered', async () => {
    const browser = new HttpBrowser(world.base)
    for (const path of [
      allPath,
      `${allPath}numbers.csv`,
      `${allPath}charts/bread/chart.svg`,
      `${allPath}texts/name/`,
      `${allPath}days/`,
    ]) {
      const { status, text } = await browser.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).toContain('Enter the password to view this report.')
      expect(text).not.toMatch(/Everything|bread|Person/i)
    }
    const wrongPassword = await enterPassword(browser, allPath, 'Open sesame')
    expect(wrongPassword.status).toBe(403)
    expect(wrongPassword.text).toContain('The password is incorrect.')
    expect((await enterPassword(browser, allPath)).to).toBe(allPath)
    const { text, headers } = await browser.get(allPath)
    expect(text).toContain('<h1>Everything</h1>')
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('<p>Pumpernickel</p>')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('has no filter form and no links to pages of the account', async () => {
    const browser = await enterAsGuest(allPath)
    const { text } = await browser.get(allPath)
    expect(text).not.toContain('/account/')
    expect(text).not.toContain('<form')
    expect(text).not.toContain('class="areas"')
    for (const search of ['?bread=0', '?_id=1', '?view-base=bread%3D0', '?filter=completed'])
      expect((await browser.get(allPath + search)).text).toContain('>11 responses</h2>')
  })

  test('applies its questions and its filter to all files and pages', async () => {
    const browser = await enterAsGuest(filteredPath)
    expect((await browser.get(filteredPath)).text).toContain('>4 responses</h2>')
    expect((await browser.get(`${filteredPath}charts/bread/chart.png`)).headers.get('content-type')).toBe('image/png')
    expect((await browser.get(`${filteredPath}numbers.csv`)).text.trim().split('\r\n')).toHaveLength(1 + 1 + 3 + 1)
    expect((await browser.get(`${filteredPath}days/numbers.csv`)).text.trim().split('\r\n')).toHaveLength(1 + 4)
    for (const path of ['charts/nps/chart.svg', 'texts/name/', 'texts/mail/?view-words=ann'])
      expect((await browser.get(filteredPath + path)).status).toBe(404)
  })

  test('lists shared text answers without links to responses', async () => {
    const { status, text } = await (await enterAsGuest(allPath)).get(`${allPath}texts/name/?view-words=person`)
    expect(status).toBe(200)
    expect(text).toContain('<p>Person 9</p>')
    expect(text).not.toContain('/account/')
  })

  test('shows text answers to users of the survey, and to guests only if the report shares them', async () => {
    const link = await createReport({ title: 'Numbers only', scope: 'all', incomplete: 'on' })
    const browser = await enterAsGuest(link)
    const { text } = await browser.get(link)
    expect(text).toContain('>11 responses</h2>')
    expect(text).toContain('Text answers are not shared in this report.')
    expect(text).not.toMatch(/Pumpernickel|Person \d|ann@example\.org/)
    expect((await browser.get(`${link}numbers.csv`)).text).not.toMatch(/Pumpernickel|Person \d|ann@example\.org/)
    for (const key of ['name', 'mail', 'bread%5Cother'])
      expect((await browser.get(`${link}texts/${key}/`)).status).toBe(404)
    const reportPath = /<a href="([^"]*)">Numbers only</.exec((await ownerBrowser.get(root)).text)![1]!
    expect((await ownerBrowser.get(reportPath)).text).toContain('<p>Pumpernickel</p>')
  })

  test('excludes incomplete responses unless the report includes them', async () => {
    const link = await createReport({ title: 'Complete', scope: 'all' })
    const { text } = await (await enterAsGuest(link)).get(link)
    expect(text).toContain('>6 responses</h2>')
    expect(text).toContain('Only complete responses are included.')
    expect(text).not.toContain('Include all responses')
  })

  test('opens with the password of its survey, which opens all reports of this survey and none of another survey', async () => {
    const browser = await enterAsGuest(allPath)
    expect((await browser.get(filteredPath)).text).toContain('<h1>Rye</h1>')
    const other = await signInOwner(world)
    const otherRoot = `/account/surveys/${other.id}/reports/`
    await other.browser.get(otherRoot)
    await other.browser.post(`${otherRoot}sharing/`, { sharing_password: 'another one' })
    await other.browser.post(`${otherRoot}new/`, { title: 'Other', scope: 'all' })
    const link = /<a class="address" href="([^"]*)"/.exec((await other.browser.get(otherRoot)).text)![1]!
    expect((await browser.get(new URL(link).pathname)).text).not.toContain('Other')
    await enterPassword(browser, new URL(link).pathname, 'another one')
    expect((await browser.get(new URL(link).pathname)).text).toContain('<h1>Other</h1>')
    expect((await browser.get(allPath)).text).toContain('<h1>Everything</h1>')
  })

  test('asks for the password again after it has changed, and returns 404 when sharing has ended', async () => {
    const browser = await enterAsGuest(allPath)
    await ownerBrowser.post(`${root}sharing/`, { sharing_password: 'new words' })
    expect((await browser.get(allPath)).text).toContain('Shared report')
    expect((await enterPassword(browser, allPath)).status).toBe(403)
    expect((await enterPassword(browser, allPath, 'new words')).to).toBe(allPath)
    await ownerBrowser.get(root)
    await ownerBrowser.post(`${root}sharing/`, { stop: '1' })
    expect((await browser.get(allPath)).status).toBe(404)
    expect((await ownerBrowser.get(root)).text).toContain('not shared')
    const invalid = await ownerBrowser.post(`${root}sharing/`, { sharing_password: '  ' })
    expect([invalid.status, invalid.text.includes('Enter a password.')]).toEqual([422, true])
    await ownerBrowser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
  })

  test('returns 404 for an incomplete or wrong token', async () => {
    const browser = await enterAsGuest(allPath)
    const token = allPath.split('/')[2]!
    const number = Number(token.split('-')[0])
    for (const wrongToken of [
      String(number),
      `${number}-`,
      `${number + 1}-${token.split('-')[1]}`,
      token.slice(0, -1),
      'x',
    ])
      expect([wrongToken, (await browser.get(`/reports/${wrongToken}/`)).status]).toEqual([wrongToken, 404])
  })

  test('rejects a password form from another site, and throttles wrong passwords', async () => {
    const browser = new HttpBrowser(world.base)
    const crossSite = await browser.post(allPath, { password: 'open sesame' }, { 'sec-fetch-site': 'cross-site' })
    expect(crossSite.status).toBe(403)
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await enterPassword(browser, allPath, `wrong ${attempt}`)).status).toBe(403)
    const throttled = await enterPassword(browser, allPath)
    expect(throttled.status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
    world.now = new Date(world.now.getTime() + 86_400_000)
    expect((await enterPassword(browser, allPath)).to).toBe(allPath)
  })
})
