import { describe, expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { responseIdsIn, signInOwner } from './survey-owner.ts'

const world = useWorld()

const signInIn = async (time_zone: string) => {
  const owner = await signInOwner(world)
  await owner.browser.post('/account/locale/', { language: 'en', time_zone })
  return owner
}

/** Submits the form for the condition on a day, and returns the page. */
async function filterBy(browser: HttpBrowser, root: string, fields: Record<string, string>): Promise<string> {
  const { to } = await browser.get(`${root}compose/?${new URLSearchParams(fields)}`)
  return (await browser.get(to!)).text
}

const fieldIn = (text: string, id: string) =>
  unescapeHtml(new RegExp(`id="${id}"[^>]* value="([^"]*)"`).exec(text)?.[1] ?? 'no field')

describe('the filter by day', () => {
  test('means days of the time zone that the page names, in which the list shows times', async () => {
    const { browser, id, root } = await signInIn('Asia/Tokyo')
    const first = await respond(world, id, { createdAt: '2026-01-02T14:59:00Z' })
    const second = await respond(world, id, { createdAt: '2026-01-02T16:00:00Z' })
    const list = await browser.get(root)
    expect(list.text).toContain('3 Jan 2026, 01:00 GMT+9')
    expect(list.text).toContain('Started from (Asia/Tokyo)')
    const day = await filterBy(browser, root, { part: 'simple', from: '2026-01-03', to: '2026-01-03' })
    expect(responseIdsIn(day)).toEqual([second.id])
    expect([fieldIn(day, 'from'), fieldIn(day, 'to')]).toEqual(['2026-01-03', '2026-01-03'])
    const before = await filterBy(browser, root, { part: 'simple', to: '2026-01-02' })
    expect(responseIdsIn(before)).toEqual([first.id])
    expect(before).toContain('Started until 2026-01-02')
  })

  test.each([
    ['=', ['Started from 2026-01-03', 'Started until 2026-01-03'], [2]],
    ['>', ['Started from 2026-01-04'], []],
    ['>=', ['Started from 2026-01-03'], [2]],
    ['<', ['Started until 2026-01-02'], [1]],
    ['<=', ['Started until 2026-01-03'], [1, 2]],
  ])('of a condition with %s means local days', async (operator, chips, numbers) => {
    const { browser, id, root } = await signInIn('Asia/Tokyo')
    const ids = [
      (await respond(world, id, { createdAt: '2026-01-02T14:59:00Z' })).id,
      (await respond(world, id, { createdAt: '2026-01-02T15:00:00Z' })).id,
    ]
    const page = await filterBy(browser, root, {
      part: 'condition',
      name: '_created_at',
      operator,
      value: '2026-01-03',
    })
    for (const chip of chips) expect(page).toContain(`<span>${chip}</span>`)
    expect(responseIdsIn(page).sort((a, b) => a - b)).toEqual(numbers.map((number) => ids[number - 1]))
  })

  test('stays as it is in addresses of the API, saved filters and other time zones', async () => {
    const { browser, person, id, root } = await signInIn('Asia/Tokyo')
    const { id: night } = await respond(world, id, { createdAt: '2026-01-02T16:00:00Z' })
    await respond(world, id, { createdAt: '2026-01-03T16:00:00Z' })
    const { to } = await browser.get(`${root}compose/?part=simple&from=2026-01-03&to=2026-01-03`)
    const { search } = new URL(to!, 'http://localhost')
    const api = await person.get(`/api/v3/surveys/${id}/responses/${search}`)
    expect(api.body.results).toMatchObject([{ _id: night }])
    await browser.post('/account/locale/', { language: 'en', time_zone: 'Europe/Berlin' })
    const berlin = await browser.get(to!)
    expect(responseIdsIn(berlin.text)).toEqual([night])
    expect(berlin.text).toContain('Started from 2026-01-02 16:00')
    // The form for days leaves a condition on times in place.
    expect(
      responseIdsIn(await filterBy(browser, root, { part: 'simple', base: search.slice(1), completed: '1' })),
    ).toEqual([night])
  })

  test('of an address with days of UTC is named so', async () => {
    const { browser, id, root } = await signInIn('Asia/Tokyo')
    const { id: night } = await respond(world, id, { createdAt: '2026-01-02T16:00:00Z' })
    const page = await browser.get(`${root}?_created_at=2026-01-02`)
    expect(responseIdsIn(page.text)).toEqual([night])
    expect(page.text).toContain('Started is 2026-01-02 UTC')
  })
})

describe('the days of charts', () => {
  test('are days of the time zone that they name, on the overview, in a report and in its files', async () => {
    const { browser, person, id } = await signInIn('Asia/Tokyo')
    for (const createdAt of [
      '2026-01-12T14:59:00Z',
      '2026-01-12T15:01:00Z',
      '2026-01-13T14:00:00Z',
      '2026-01-13T15:00:00Z',
    ])
      await respond(world, id, { createdAt })
    const rowsOf = (text: string) =>
      [...text.matchAll(/<tr><th scope="row">(2026-01-\d\d)<\/th><td>(\d+)<\/td>/g)].map(
        ([, day, count]) => `${day} ${count}`,
      )
    const overview = (await browser.get(`/account/surveys/${id}/`)).text
    expect(overview).toContain('Day (Asia/Tokyo)')
    expect(rowsOf(overview).filter((row) => !row.endsWith(' 0'))).toEqual([
      '2026-01-12 1',
      '2026-01-13 2',
      '2026-01-14 1',
    ])
    const report = (await browser.get(`/account/surveys/${id}/reports/all/`)).text
    expect(report).toContain('by day (Asia/Tokyo)')
    expect(report).toContain('Day (Asia/Tokyo)')
    expect(rowsOf(report)).toEqual(['2026-01-12 1', '2026-01-13 2', '2026-01-14 1'])
    const file = await browser.get(`/account/surveys/${id}/reports/all/days/numbers.csv`)
    expect(file.text.trim().split('\r\n')).toEqual(['day,count', '2026-01-12,1', '2026-01-13,2', '2026-01-14,1'])
    const { body } = await person.get(`/api/v3/surveys/${id}/statistics/`)
    expect(body.days.filter(({ started }: { started: number }) => started > 0)).toMatchObject([
      { date: '2026-01-12', started: 2 },
      { date: '2026-01-13', started: 2 },
    ])
  })

  test('end with today in this time zone', async () => {
    const { browser, id } = await signInIn('Pacific/Kiritimati')
    await respond(world, id, { createdAt: '2026-01-15T11:00:00Z' })
    const { text } = await browser.get(`/account/surveys/${id}/`)
    expect(text).toContain('<tr><th scope="row">2026-01-16</th><td>1</td>')
    expect(text).not.toContain('2026-01-17')
  })
})

describe('the settings of a survey', () => {
  test('show and read the opening times in the time zone that they name, across the change of the clock', async () => {
    const { browser, person, id } = await signInIn('Europe/Berlin')
    const path = `/account/surveys/${id}/edit/settings/`
    const form = async () => (await browser.get(path)).text
    const before = await form()
    expect(before).toContain('Opens at (Europe/Berlin)')
    const version = fieldIn(before.replace('name="version"', 'id="version"'), 'version')
    await browser.post(path, { name: 'Bread', version, open_at: '2026-03-01T09:00', close_at: '2026-07-01T18:30' })
    const uri = `/api/v3/surveys/${id}/settings/`
    const stored = { open_at: '2026-03-01T08:00:00.000Z', close_at: '2026-07-01T16:30:00.000Z' }
    expect((await person.get(uri)).body).toMatchObject(stored)
    const after = await form()
    expect([fieldIn(after, 'open_at'), fieldIn(after, 'close_at')]).toEqual(['2026-03-01T09:00', '2026-07-01T18:30'])
  })

  test('do not change a time that was not edited, although the clock shows it twice', async () => {
    const { browser, person, id } = await signInIn('Europe/Berlin')
    const path = `/account/surveys/${id}/edit/settings/`
    const uri = `/api/v3/surveys/${id}/settings/`
    const close_at = '2026-10-25T01:30:00.000Z'
    await person.put(uri, { json: { close_at } })
    const { text } = await browser.get(path)
    expect(fieldIn(text, 'close_at')).toBe('2026-10-25T02:30')
    await browser.post(path, { name: 'Bread', version: '1', close_at: '2026-10-25T02:30' })
    expect((await person.get(uri)).body.close_at).toBe(close_at)
  })

  test('read a form in the time zone in which it was shown', async () => {
    const { browser, person, id } = await signInIn('')
    const path = `/account/surveys/${id}/edit/settings/`
    const { text } = await browser.get(path)
    expect(text).toContain('Opens at (UTC)')
    expect(text).toContain('name="view-zone" value="UTC"')
    // The script has named the time zone of the browser in the meantime.
    browser.cookies.set('time_zone', 'Asia/Tokyo')
    await browser.post(path, { name: 'Bread', version: '1', open_at: '2026-03-01T09:00', 'view-zone': 'UTC' })
    expect((await person.get(`/api/v3/surveys/${id}/settings/`)).body.open_at).toBe('2026-03-01T09:00:00.000Z')
    expect((await browser.get(path)).text).toContain('Opens at (Asia/Tokyo)')
  })
})

describe('the deletion of responses by time', () => {
  test('reads local times', async () => {
    const { browser, id, root } = await signInIn('Asia/Tokyo')
    await respond(world, id, { createdAt: '2026-01-02T14:59:30Z' })
    await respond(world, id, { createdAt: '2026-01-02T15:00:30Z' })
    const query = new URLSearchParams({ created_from: '2026-01-03T00:00', created_to: '2026-01-03T00:00' })
    const page = await browser.get(`${root}deletion/?${query}`)
    expect(page.text).toContain('Matching responses: 1. They move to the trash')
    expect((await browser.get(`${root}deletion/`)).text).toContain('Date and time (Asia/Tokyo)')
  })
})

describe('the workbook for people', () => {
  test('has times in the time zone that its headings name', async () => {
    const { browser, id, root } = await signInIn('America/New_York')
    await respond(world, id, { createdAt: '2026-03-08T06:30:00Z' })
    await respond(world, id, { createdAt: '2026-03-08T07:30:00Z' })
    const reply = await fetch(`${world.base}${root}export/?purpose=workbook`, {
      headers: { cookie: browser.cookieHeader },
    })
    const [sheet, codebook] = (await readXlsx(new Uint8Array(await reply.arrayBuffer()))).sheets
    const column = sheet!.rows[0]!.indexOf('Started (America/New_York)')
    const times = sheet!.rows.slice(1).map((row) => (row[column] as Date).toISOString())
    expect(times).toEqual(['2026-03-08T01:30:00.000Z', '2026-03-08T03:30:00.000Z'])
    expect(JSON.stringify(codebook!.rows)).not.toContain('UTC')
  })
})
