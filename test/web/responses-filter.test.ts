import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { pageOf, surveyOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { analyst, listed, ten } from './survey-owner.ts'

const world = useWorld()
const at = async (browser: { get(path: string): Promise<{ to: string | null }> }, path: string) =>
  (await browser.get(path)).to!

describe('filters of the responses', () => {
  test('selects the same responses in the page and in the list of the API', async () => {
    const { browser, id, top, person } = await analyst(world)
    await ten(world, id)
    const queries = [
      'bread=2',
      'bread=Rye&_completed=0',
      'with=Cheese',
      'nps>=5',
      '_created_at>=2026-01-03&_created_at<=2026-01-05',
      '_created_at=2026-01-04',
      'name=Person%207',
      'with\\1=1',
      'filter=completed&nps<5',
      'mail=',
    ]
    for (const query of queries) {
      const { body } = await person.get(`/api/v3/surveys/${id}/responses/?${query}`)
      const ids = (body.results as { _id: number }[]).map(({ _id }) => _id).reverse()
      expect(ids.length).toBeGreaterThan(0)
      const page = await browser.get(`${top}?${query}`)
      expect([query, listed(page.text)]).toEqual([query, ids])
      expect(page.text).toContain(`${ids.length} of 10 responses match`)
    }
  })

  test('is built step by step without a script, and a condition can be removed', async () => {
    const { browser, id, top } = await analyst(world)
    await ten(world, id)
    const simple = await at(browser, `${top}compose/?part=simple&base=&completed=1&from=2026-01-03&to=&pick=bread`)
    expect(simple).toBe(`${top}?_completed=1&_created_at%3E=2026-01-03&view-pick=bread`)
    const picking = await browser.get(simple)
    expect(picking.text).toMatch(/<h2 id="picked">Which bread do you eat most\?<\/h2>/)
    expect(picking.text).toContain('<option value="1">Wheat</option>')
    const base = /name="part" value="condition"><input type="hidden" name="base" value="([^"]*)"/.exec(
      picking.text,
    )![1]!
    const form = new URLSearchParams({ part: 'condition', base: base.replaceAll('&amp;', '&').replaceAll('&gt;', '>') })
    form.append('name', 'bread')
    form.append('value', '0')
    const made = await at(browser, `${top}compose/?${form}`)
    const page = await browser.get(made)
    expect(page.text).toContain('Which bread do you eat most? is Rye')
    expect(page.text).toContain('Started from 2026-01-03')
    expect(page.text).toContain('<option value="1" selected>Complete</option>')
    expect(listed(page.text)).toHaveLength(2)
    const without = /<a href="([^"]*)" aria-label="Remove filter: Status is Complete"/.exec(page.text)![1]!
    const less = await browser.get(without.replaceAll('&amp;', '&').replaceAll('&gt;', '>'))
    expect(listed(less.text)).toHaveLength(3)
    const again = await at(
      browser,
      `${top}compose/?part=simple&base=${encodeURIComponent(base.replaceAll('&amp;', '&'))}`,
    )
    expect(again).toBe(top)
  })

  test('matches missing answers, operators, rows of a grid and text with special characters', async () => {
    const { browser, id, top } = await analyst(world)
    await ten(world, id)
    await respond(world, id, { answers: { grid_1: 2, name: 'a & b=c <d>' } })
    const found = async (fields: Record<string, string>) => {
      const form = new URLSearchParams({ part: 'condition', base: '', ...fields })
      const page = await browser.get(await at(browser, `${top}compose/?${form}`))
      return listed(page.text).length
    }
    expect(await found({ name: 'name', operator: '=', value: 'a & b=c <d>' })).toBe(1)
    expect(await found({ name: 'name', operator: '~', value: 'B=C <D' })).toBe(1)
    expect(await found({ name: 'name', operator: '~', value: 'nothing of the sort' })).toBe(0)
    expect(await found({ name: 'grid_1', value: '2' })).toBe(1)
    expect(await found({ name: 'nps', operator: 'none', value: '4' })).toBe(1)
    expect(await found({ name: 'nps', operator: '>', value: '6' })).toBe(3)
    expect(await found({ name: 'bread', value: '' })).toBe(1)
  })

  test('returns 422 with the error beside an invalid filter, keeps the input and shows no responses', async () => {
    const { browser, id, top } = await analyst(world)
    await ten(world, id)
    const page = await browser.get(`${top}?_created_at>=yesterday&colour=red&_completed=1`)
    expect(page.status).toBe(422)
    expect(page.text).toContain('Started must be a date such as 2024-01-31')
    expect(page.text).toContain('Unknown question or property: colour')
    expect(page.text).toMatch(/name="from" value="yesterday" aria-invalid="true" aria-describedby="condition-error-0"/)
    expect(listed(page.text)).toEqual([])
    const unknown = await browser.get(`${top}?filter=nothing`)
    expect(unknown.status).toBe(422)
    expect(unknown.text).toContain('is not a filter of this survey')
  })

  test('can be saved, listed, applied, renamed and deleted', async () => {
    const { browser, id, top, person } = await analyst(world)
    await ten(world, id)
    const saved = await browser.post(`${top}filters/?_completed=1&bread=1`, { name: 'Wheat & done' })
    expect(saved).toMatchObject({ status: 303, to: `${top}?filter=Wheat+%26+done` })
    const page = await browser.get(saved.to!)
    expect(page.text).toContain('Filter “Wheat &amp; done” saved.')
    expect(page.text).toContain(`${listed(page.text).length} of 10 responses match`)
    expect((await person.get(`/api/v3/surveys/${id}/filters/`)).body.results).toMatchObject([
      { name: 'Wheat & done', query: '_completed=1&bread=1' },
    ])
    const twice = await browser.post(`${top}filters/?_completed=0`, { name: 'Wheat & done' })
    expect(twice.status).toBe(422)
    expect(twice.text).toMatch(/class="error" id="name-error">[^<]+</)
    const taken = await browser.post(`${top}filters/?_completed=0`, { name: 'completed' })
    expect(taken.status).toBe(422)
    expect(taken.text).toContain('value="completed"')
    await browser.post(`${top}filters/?filter=Wheat+%26+done&nps>3`, { name: 'More' })
    const list = await browser.get(`${top}filters/`)
    expect(list.text).toContain(
      'Status is Complete · Which bread do you eat most? is Wheat · Would you recommend breakfast to a friend? is more than 3',
    )
    expect((await browser.post(`${top}filters/rename/`, { name: 'More', next: 'Wheat & done' })).status).toBe(422)
    expect((await browser.post(`${top}filters/rename/`, { name: 'More', next: 'Most' })).status).toBe(303)
    expect((await browser.post(`${top}filters/delete/`, { name: 'Wheat & done' })).status).toBe(303)
    const rest = await browser.get(`${top}filters/`)
    expect(rest.text).toContain('>Most</a>')
    expect(rest.text).not.toContain('>Wheat &amp; done</a>')
  })

  test('accepts question ids with characters and words of an address', async () => {
    const { browser, person } = await analyst(world)
    const ids = ['a&b', 'x<y', 'z=1', 'm>=2', 'p%41', 'q+r', 'é ü', 'page', 'order', 'value', 'constructor']
    const { survey } = await surveyOf(world, person, { title: 'Ids', form: [pageOf(...ids.map((id) => text(id)))] })
    const top = `/account/surveys/${survey.id}/responses/`
    for (const id of ids) await respond(world, survey.id, { answers: { [id]: 'here & <now>' } })
    for (const id of ids) {
      const form = new URLSearchParams({ part: 'condition', base: '', name: id, operator: '=', value: 'here & <now>' })
      const { to } = await browser.get(`${top}compose/?${form}`)
      const page = await browser.get(to!)
      expect([id, page.status, listed(page.text).length]).toEqual([id, 200, 1])
      const pick = await browser.get(`${top}compose/?${new URLSearchParams({ part: 'simple', base: '', pick: id })}`)
      expect((await browser.get(pick.to!)).text).toContain(`<h2 id="picked">Text ${escaped(id)}</h2>`)
      const shown = new URLSearchParams({ part: 'view', base: to!.slice(top.length + 1), column: id })
      const column = await browser.get((await browser.get(`${top}compose/?${shown}`)).to!)
      expect(column.text).toContain('>here &amp; &lt;now&gt;</td>')
      const one = listed(page.text)[0]
      expect((await browser.get(`${top}${one}/`)).text).toContain('here &amp; &lt;now&gt;')
    }
  })
})

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
