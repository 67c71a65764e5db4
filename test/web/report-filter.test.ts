import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner, signInToReports } from './survey-owner.ts'

const world = useWorld()

describe('the filters of a report', () => {
  test('are added with a form, stored in the URL, and removed by a link', async () => {
    const { browser, root } = await signInToReports(world)
    const page = await browser.get(`${root}all/?_completed=1`)
    expect(page.text).toContain('>How often … do you eat alone?</option>')
    const metadata = new URLSearchParams({ part: 'simple', base: '_completed=1', completed: '1', from: '2026-01-02' })
    const question = await browser.get(`${root}all/compose/?${metadata}&pick=bread`)
    expect(question.to).toBe(`${root}all/?_completed=1&_created_at%3E=2026-01-02&view-pick=bread`)
    expect((await browser.get(question.to!)).text).toContain('<h2 id="picked">Which bread do you eat most?</h2>')
    const base = '_completed=1&_created_at>=2026-01-02'
    const condition = new URLSearchParams({ part: 'condition', base, name: 'bread', value: '0' })
    const { status, to } = await browser.get(`${root}all/compose/?${condition}`)
    expect([status, to]).toEqual([303, `${root}all/?_completed=1&_created_at%3E=2026-01-02&bread=0`])
    const { text } = await browser.get(to!)
    expect(text).toContain('>2 responses</h2>')
    expect(text).toContain('<span>Which bread do you eat most? is Rye</span>')
    expect(text).toContain('<span>Status is Complete</span>')
    expect(text).toContain(`href="${root}all/?_completed=1&amp;_created_at%3E=2026-01-02"`)
  })

  test('are read from the parameters of the former filter form', async () => {
    const { browser, root } = await signInToReports(world)
    const form = { 'view-base': '_completed=1', 'view-add': 'bread=0', 'view-from': '2026-01-02', 'view-to': '' }
    const { text } = await browser.get(`${root}all/?${new URLSearchParams(form)}`)
    expect(text).toContain('>2 responses</h2>')
    expect(text).toContain('<span>Started from 2026-01-02</span>')
  })

  test('include incomplete responses if the form has the status Any', async () => {
    const { browser, root } = await signInToReports(world)
    const { to } = await browser.get(`${root}all/compose/?part=simple&base=bread%3D0&completed=_completed%3E%3D0`)
    expect(to).toBe(`${root}all/?_completed%3E=0&bread=0`)
    const { text } = await browser.get(to!)
    expect(text).toContain('>4 responses</h2>')
    expect(text).toContain('<option value="_completed&gt;=0" selected>Any</option>')
    expect(text).toContain('<span>Including incomplete and screened-out responses</span>')
  })

  test('are added by links on the bars of a chart and on the shares of a score', async () => {
    const { browser, root } = await signInToReports(world)
    const { text } = await browser.get(`${root}all/?_completed>=0`)
    const link = (label: string) =>
      unescapeHtml(new RegExp(`<a href="([^"]*)" aria-label="Only ${label}"`).exec(text)![1]!)
    const countWith = async (label: string) => /(\d+) responses?<\/h2>/.exec((await browser.get(link(label))).text)?.[1]
    expect(await countWith('Wheat')).toBe('3')
    expect(await countWith('Yes')).toBe('1')
    expect(await countWith('Promoters, 9 and 10')).toBe('2')
    expect(await countWith('Passives, 7 and 8')).toBe('2')
    expect(await countWith('Detractors, 0 to 6')).toBe('7')
    expect(await countWith('Butter')).toBe('4')
  })

  test('can be chosen from the saved filters, and return 422 with an error beside each invalid condition', async () => {
    const { browser, root, person, id } = await signInToReports(world)
    await person.post(`/api/v3/surveys/${id}/filters/`, { form: { name: 'Wheat & co', query: 'bread=1' } })
    expect((await browser.get(`${root}all/?_completed=1`)).text).toMatch(
      new RegExp(`<a href="${root}all/\\?_completed=1&amp;filter=Wheat\\+%26\\+co">\\s*Wheat &amp; co`),
    )
    expect((await browser.get(`${root}all/?filter=Wheat%20%26%20co&_completed>=0`)).text).toContain('>3 responses</h2>')
    const invalid = await browser.get(`${root}all/?unknown=1&bread=0`)
    expect(invalid.status).toBe(422)
    expect(invalid.text).toContain('Unknown question or property: unknown')
    expect(invalid.text).toContain('<span>Which bread do you eat most? is Rye</span>')
    expect((await browser.get(`${root}all/?bread=0&_completed=2`)).text).toContain('No responses match these filters.')
  })
})

describe('the responses of a report', () => {
  test('are the complete ones, unless others are chosen in the filter, in the form of the report or in the API [spec 10.2]', async () => {
    const { browser, person, id } = await signInOwner(world)
    for (const completed of [1, 1, 1, 2, 2, 0] as const) await respond(world, id, { completed, answers: { bread: 0 } })
    const root = `/account/surveys/${id}/reports/`
    const counted = async (path: string) => Number(/>(\d+) responses?<\/h2>/.exec((await browser.get(path)).text)?.[1])
    for (const [status, total] of [
      ['', 3],
      ['_completed>0', 5],
      ['_completed<2', 4],
      ['_completed>=0', 6],
      ['2', 2],
    ] as const) {
      const { to } = await browser.get(
        `${root}all/compose/?${new URLSearchParams({ part: 'simple', completed: status })}`,
      )
      expect([status, await counted(to!)]).toEqual([status, total])
      const text = (await browser.get(to!)).text.replaceAll('&gt;', '>').replaceAll('&lt;', '<')
      expect(text).toContain(`<option value="${status}" selected>`)
    }
    for (const [boxes, total] of [
      [{}, 3],
      [{ incomplete: 'on' }, 4],
      [{ screened_out: 'on' }, 5],
      [{ incomplete: 'on', screened_out: 'on' }, 6],
    ] as const) {
      const { to } = await browser.post(`${root}new/`, { title: 'R', scope: 'all', ...boxes })
      expect([boxes, await counted(to!)]).toEqual([boxes, total])
      const form = (await browser.get(`${to}edit/`)).text
      const ticked = ['incomplete', 'screened_out'].filter((name) => form.includes(`name="${name}" checked`))
      expect(ticked).toEqual(Object.keys(boxes))
    }
    const { body } = await person.post(`/api/v3/surveys/${id}/reports/`, { json: { title: 'R' } })
    const totalOf = async (search: string) => (await person.get(`${body.report_uri}${search}`)).body.responses.total
    expect([await totalOf(''), await totalOf('?_completed>0'), await totalOf('?_completed=0')]).toEqual([3, 5, 1])
  })
})
