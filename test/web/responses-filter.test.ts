import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import type { HttpBrowser } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, responseIdsIn, signInOwner } from './survey-owner.ts'

const world = useWorld()
const redirectOf = async (browser: HttpBrowser, path: string) => (await browser.get(path)).to!

describe('the filters of responses', () => {
  test('select the same responses in the page and in the list of the API', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    await addTenResponses(world, id)
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
      const page = await browser.get(`${root}?${query}`)
      expect([query, responseIdsIn(page.text)]).toEqual([query, ids])
      expect(page.text).toContain(`${ids.length} of 10 responses match`)
    }
  })

  test('are built in steps without scripts, and their conditions can be removed', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const metadata = await redirectOf(
      browser,
      `${root}compose/?part=simple&base=&completed=1&from=2026-01-03&to=&pick=bread`,
    )
    expect(metadata).toBe(`${root}?_completed=1&_created_at%3E=2026-01-03&view-pick=bread`)
    const question = await browser.get(metadata)
    expect(question.text).toMatch(/<h2 id="picked">Which bread do you eat most\?<\/h2>/)
    expect(question.text).toContain('<input type="checkbox" name="value" value="1"> Wheat')
    const base = unescapeHtml(
      /name="part" value="condition"><input type="hidden" name="base" value="([^"]*)"/.exec(question.text)![1]!,
    )
    const form = new URLSearchParams({ part: 'condition', base })
    form.append('name', 'bread')
    form.append('value', '0')
    const filtered = await redirectOf(browser, `${root}compose/?${form}`)
    const page = await browser.get(filtered)
    expect(page.text).toContain('Which bread do you eat most? is Rye')
    expect(page.text).toContain('Started from 2026-01-03')
    expect(page.text).toMatch(/aria-current="true">\s*Complete\s*</)
    expect(responseIdsIn(page.text)).toHaveLength(2)
    const removeLink = /<a href="([^"]*)" aria-label="Remove filter: Status is Complete"/.exec(page.text)![1]!
    const remaining = await browser.get(unescapeHtml(removeLink))
    expect(responseIdsIn(remaining.text)).toHaveLength(3)
    const cleared = await redirectOf(browser, `${root}compose/?part=simple&base=${encodeURIComponent(base)}`)
    expect(cleared).toBe(root)
  })

  test('find missing answers, rows of a grid, texts with special characters, and numbers above a limit', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    await respond(world, id, { answers: { grid_1: 2, name: 'a & b=c <d>' } })
    const countWith = async (fields: Record<string, string>) => {
      const form = new URLSearchParams({ part: 'condition', base: '', ...fields })
      const page = await browser.get(await redirectOf(browser, `${root}compose/?${form}`))
      return responseIdsIn(page.text).length
    }
    expect(await countWith({ name: 'name', operator: '=', value: 'a & b=c <d>' })).toBe(1)
    expect(await countWith({ name: 'name', operator: '~', value: 'B=C <D' })).toBe(1)
    expect(await countWith({ name: 'name', operator: '~', value: 'no such text' })).toBe(0)
    expect(await countWith({ name: 'grid_1', value: '2' })).toBe(1)
    expect(await countWith({ name: 'nps', operator: 'none', value: '4' })).toBe(1)
    expect(await countWith({ name: 'nps', operator: '>', value: '6' })).toBe(3)
    expect(await countWith({ name: 'bread', value: '' })).toBe(1)
  })

  test('accept one of several values, and an alternative to a filter', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const compose = async (base: string, fields: [string, string][]) => {
      const form = new URLSearchParams([['part', 'condition'], ['base', base], ...fields])
      const address = await redirectOf(browser, `${root}compose/?${form}`)
      const { text } = await browser.get(address)
      return { query: address.slice(root.length + 1), text: unescapeHtml(text), ids: responseIdsIn(text) }
    }
    const rye = await compose('', [
      ['name', 'bread'],
      ['value', '0'],
    ])
    const wheat = await compose('', [
      ['name', 'bread'],
      ['value', '1'],
    ])
    const both = await compose('', [
      ['name', 'bread'],
      ['value', '0'],
      ['value', '1'],
    ])
    expect(both.query).toBe('_any=bread%3D0%26bread%3D1')
    expect(both.text).toContain('Which bread do you eat most? is Rye or Wheat')
    expect(both.ids.toSorted()).toEqual([...rye.ids, ...wheat.ids].toSorted())
    expect((await compose('', [['name', 'bread']])).query).toBe('')
    const form = await browser.get(`${root}?_completed=1&bread=0&view-pick=nps`)
    expect(unescapeHtml(form.text)).toContain('>Or: instead of “Which bread do you eat most? is Rye”</option>')
    const either = await compose('_completed=1&bread=0', [
      ['name', 'nps'],
      ['operator', '>'],
      ['value', '6'],
      ['or', '1'],
    ])
    expect(either.query).toBe('_completed=1&_any=bread%3D0%26nps%3E6')
    expect(either.text).toContain('Which bread do you eat most? is Rye or ')
    expect(either.ids.length).toBeGreaterThan(0)
    const three = await compose('_completed=1&_any=bread%3D0%26nps%3E6', [
      ['name', 'bread'],
      ['value', '1'],
      ['or', '1'],
    ])
    expect(three.query).toBe('_completed=1&_any=bread%3D0%26nps%3E6%26bread%3D1')
    expect(three.ids).toEqual(expect.arrayContaining(either.ids))
  })

  test('compare a grid as a whole, and the ranks of choices', async () => {
    const { browser, person } = await signInOwner(world)
    const choices = [{ label: 'Tea' }, { label: 'Milk' }, { label: 'Water' }]
    const ranking = { idname: 'ranking', id: 'order', title: 'Order?', children: [{ choices }] }
    const rows = [{ label: 'Hot' }, { label: 'Cold' }]
    const grid = { idname: 'single-choice-grid', id: 'taste', title: 'Taste?', choices, children: rows }
    const many = { ...grid, idname: 'multiple-choice-grid', id: 'many', title: 'Many?' }
    const { survey } = await addSurvey(person, { title: 'Ranks', form: [{ children: [ranking, grid, many] }] })
    const root = `/account/surveys/${survey.id}/responses/`
    await respond(world, survey.id, { answers: { order: [0, 1, 2], taste_0: 1, many_1: [0, 2] } })
    await respond(world, survey.id, { answers: { order: [2, 0], taste_1: 1, many_0: [2] } })
    await respond(world, survey.id, { answers: { order: [1, 2, 0], taste_0: 0 } })
    for (const [name, operator, value, count, chip] of [
      ['taste', '=', '1', 2, 'Taste?: any row includes Milk'],
      ['taste_0', '=', '1', 1, 'Taste? Hot is Milk'],
      ['many', '=', '2', 2, 'Many?: any row includes Water'],
      ['many_0', '=', '2', 1, 'Many? Hot includes Water'],
      ['order\\0', '=', '1', 1, 'Order?: rank of Tea is 1'],
      ['order\\0', '<=', '2', 2, 'Order?: rank of Tea is at most 2'],
      ['order\\2', '<', '3', 2, 'Order?: rank of Water is less than 3'],
      ['order\\1', 'none', '', 1, 'Order?: rank of Milk: no answer'],
    ] as const) {
      const form = new URLSearchParams({ part: 'condition', base: '', name, operator, value })
      const page = await browser.get(await redirectOf(browser, `${root}compose/?${form}`))
      expect([name, operator, responseIdsIn(page.text).length]).toEqual([name, operator, count])
      expect(unescapeHtml(page.text)).toContain(chip)
      const picked = await browser.get(`${root}?${new URLSearchParams({ 'view-pick': name })}`)
      expect(picked.text).toContain(`<option value="${name}">`)
      expect(picked.text).toContain(`name="name" value="${name}"`)
    }
    const { body } = await person.post(`/api/v3/surveys/${survey.id}/filters/`, {
      json: { name: 'first', query: 'order\\1=1' },
    })
    const { body: structure } = await person.get(`/api/v3/surveys/${survey.id}/structure/`)
    structure.form[0].children[0].children[0].choices.reverse()
    structure.form[0].children[0].children[0].choices.push({ label: 'Juice' })
    await person.put(`/api/v3/surveys/${survey.id}/structure/`, { json: structure })
    expect((await person.get(body.responses_uri)).body.results).toMatchObject([{ order: [1, 0, 2] }])
    const invalid = await browser.get(`${root}?order%5C0=first`)
    expect([invalid.status, unescapeHtml(invalid.text).includes('must be a rank: a whole number from 1')]).toEqual([
      422,
      true,
    ])
  })

  test('name the codes of choices', async () => {
    const { browser, person } = await signInOwner(world)
    const choices = [
      { label: 'Yes', code: '1' },
      { label: 'No', code: 'no' },
    ]
    const question = { idname: 'single-choice', id: 'smoke', title: 'Smoke?', children: [{ choices }] }
    const { survey } = await addSurvey(person, { title: 'Codes', form: [{ children: [question] }] })
    const root = `/account/surveys/${survey.id}/responses/`
    for (const smoke of [0, 1, 1]) await respond(world, survey.id, { answers: { smoke } })
    const byCode = await browser.get(`${root}?smoke%5Ccode=1`)
    expect(byCode.text).toContain('Smoke? is Yes')
    expect(responseIdsIn(byCode.text)).toHaveLength(1)
    const byName = await browser.get(`${root}?smoke=no`)
    expect(byName.text).toContain('Smoke? is No')
    expect(responseIdsIn(byName.text)).toHaveLength(2)
    const report = await browser.get(`/account/surveys/${survey.id}/reports/all/?smoke%5Ccode=1`)
    expect([report.status, report.text.includes('Smoke? is Yes')]).toEqual([200, true])
  })

  test('return 422 with an error beside an invalid condition, keep the input and show no responses', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const page = await browser.get(`${root}?_created_at>=yesterday&colour=red&_completed=1`)
    expect(page.status).toBe(422)
    expect(page.text).toContain('Started must be a date such as 2024-01-31')
    expect(page.text).toContain('Unknown question or property: colour')
    expect(page.text).toMatch(/name="from" value="yesterday" aria-invalid="true" aria-describedby="condition-error-0"/)
    expect(responseIdsIn(page.text)).toEqual([])
    const unknown = await browser.get(`${root}?filter=nothing`)
    expect(unknown.status).toBe(422)
    expect(unknown.text).toContain('Filter “nothing” is not a filter of this survey')
  })

  test('can be saved, applied, listed, renamed and deleted', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    await addTenResponses(world, id)
    const saved = await browser.post(`${root}filters/?_completed=1&bread=1`, { name: 'Wheat & done' })
    expect(saved).toMatchObject({ status: 303, to: `${root}?filter=Wheat+%26+done` })
    const page = await browser.get(saved.to!)
    expect(page.text).toContain('Filter “Wheat &amp; done” saved.')
    expect(page.text).toContain(`${responseIdsIn(page.text).length} of 10 responses match`)
    expect((await person.get(`/api/v3/surveys/${id}/filters/`)).body.results).toMatchObject([
      { name: 'Wheat & done', query: '_completed=1&bread=1' },
    ])
    const duplicate = await browser.post(`${root}filters/?_completed=0`, { name: 'Wheat & done' })
    expect(duplicate.status).toBe(422)
    expect(duplicate.text).toMatch(/class="error" id="name-error">[^<]+</)
    const reserved = await browser.post(`${root}filters/?_completed=0`, { name: 'completed' })
    expect(reserved.status).toBe(422)
    expect(reserved.text).toContain('value="completed"')
    await browser.post(`${root}filters/?filter=Wheat+%26+done&nps>3`, { name: 'More' })
    const list = await browser.get(`${root}filters/`)
    expect(list.text).toContain(
      'Status is Complete · Which bread do you eat most? is Wheat · Would you recommend breakfast to a friend? is more than 3',
    )
    expect((await browser.post(`${root}filters/rename/`, { name: 'More', next: 'Wheat & done' })).status).toBe(422)
    expect((await browser.post(`${root}filters/rename/`, { name: 'More', next: 'Most' })).status).toBe(303)
    expect((await browser.post(`${root}filters/delete/`, { name: 'Wheat & done' })).status).toBe(303)
    const remaining = await browser.get(`${root}filters/`)
    expect(remaining.text).toContain('>Most</a>')
    expect(remaining.text).not.toContain('>Wheat &amp; done</a>')
    const undo = /action="([^"]*)">(?:<input[^>]*>)*<button class="small">Undo</.exec(remaining.text)![1]!
    expect((await browser.post(undo.replaceAll('&amp;', '&'), { name: 'Wheat & done' })).status).toBe(303)
    expect((await person.get(`/api/v3/surveys/${id}/filters/`)).body.results).toContainEqual(
      expect.objectContaining({ name: 'Wheat & done', query: '_completed=1&bread=1' }),
    )
  })

  test('accept question IDs that contain reserved characters or equal the name of a parameter', async () => {
    const { browser, person } = await signInOwner(world)
    const ids = ['a&b', 'x<y', 'z=1', 'm>=2', 'p%41', 'q+r', 'é ü', 'page', 'order', 'value', 'constructor']
    const { survey } = await addSurvey(person, { title: 'Ids', form: [pageOf(...ids.map((id) => text(id)))] })
    const root = `/account/surveys/${survey.id}/responses/`
    for (const id of ids) await respond(world, survey.id, { answers: { [id]: 'a & <b>' } })
    for (const id of ids) {
      const form = new URLSearchParams({ part: 'condition', base: '', name: id, operator: '=', value: 'a & <b>' })
      const { to } = await browser.get(`${root}compose/?${form}`)
      const page = await browser.get(to!)
      expect([id, page.status, responseIdsIn(page.text).length]).toEqual([id, 200, 1])
      const pick = await browser.get(`${root}compose/?${new URLSearchParams({ part: 'simple', base: '', pick: id })}`)
      expect((await browser.get(pick.to!)).text).toContain(`<h2 id="picked">Text ${escaped(id)}</h2>`)
      const view = new URLSearchParams({ part: 'view', base: to!.slice(root.length + 1), column: id })
      const column = await browser.get((await browser.get(`${root}compose/?${view}`)).to!)
      expect(column.text).toContain('>a &amp; &lt;b&gt;</td>')
      const responseId = responseIdsIn(page.text)[0]
      expect((await browser.get(`${root}${responseId}/`)).text).toContain('a &amp; &lt;b&gt;')
    }
  })
})

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
