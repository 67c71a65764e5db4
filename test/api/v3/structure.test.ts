import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person({ username: 'bob' })
})

const survey = async (): Promise<string> =>
  (await ann.post('/api/v3/surveys/', { form: { name: 'Feedback' } })).body.survey_uri
const question = (id: string, title: unknown = id) => ({ idname: 'text-response', id, title })

describe('getStructure [spec 5.9]', () => {
  test('returns the name as English title for a new survey', async () => {
    const reply = await ann.get(`${await survey()}structure/`)
    expect(reply).toMatchObject({ status: 200, body: { title: { en: 'Feedback' } } })
    expect(reply.body.languages).toEqual([{ code: 'en', name: 'English', isDefault: true }])
    expect(reply.body.form).toEqual([])
  })

  test('returns members in the original order, including unknown ones', async () => {
    const uri = await survey()
    const json = {
      zebra: { b: 1, a: 2 },
      title: { en: 'Order' },
      languages: [{ isDefault: true, code: 'en', name: 'English', x: 1 }],
      form: [{ note: 'z', children: [{ zulu: 1, id: 'q1', idname: 'text-response', title: { en: 'Q' }, alpha: 2 }] }],
      aardvark: [1, 2],
    }
    expect((await ann.put(`${uri}structure/`, { json })).status).toBe(200)
    const { body, text } = await ann.get(`${uri}structure/`)
    expect(Object.keys(body)).toEqual(['zebra', 'title', 'languages', 'form', 'aardvark'])
    expect(Object.keys(body.zebra)).toEqual(['b', 'a'])
    expect(Object.keys(body.languages[0])).toEqual(['isDefault', 'code', 'name', 'x'])
    expect(text.indexOf('"zulu"')).toBeLessThan(text.indexOf('"alpha"'))
    expect(body.form[0]).toMatchObject({ note: 'z', type: 'page' })
  })

  test('returns every text as a language object [spec 6.1]', async () => {
    const uri = await survey()
    const children = [{ type: 'single', choices: [{ label: 'Oui' }, { label: { fr: 'Non', en: 'No' } }] }]
    const json = {
      title: 'Avis',
      languages: [{ code: 'fr', name: 'Français', isDefault: true }],
      form: [{ children: [{ idname: 'single-choice', id: 'q1', title: 'Content ?', children }] }],
    }
    await ann.put(`${uri}structure/`, { json })
    const { body } = await ann.get(`${uri}structure/`)
    expect(body.title).toEqual({ fr: 'Avis' })
    const [first] = body.form[0].children
    expect(first.title).toEqual({ fr: 'Content ?' })
    expect(first.children[0].choices).toEqual([
      { label: { fr: 'Oui' }, uid: 0 },
      { label: { fr: 'Non', en: 'No' }, uid: 1 },
    ])
  })

  test('returns a body that updateStructure accepts without a change', async () => {
    const uri = await survey()
    await ann.put(`${uri}structure/`, { json: { title: 'Same', form: [{ children: [question('q1')] }] } })
    const before = await ann.get(`${uri}structure/`)
    expect((await ann.put(`${uri}structure/`, { json: before.body })).status).toBe(200)
    expect((await ann.get(`${uri}structure/`)).text).toBe(before.text)
  })
})

describe('updateStructure [spec 5.9]', () => {
  test.each([
    ['the structure itself', { title: 'T', form: [] }],
    ['an object with the property structure', { structure: { title: 'T', form: [] } }],
    ['an object with the properties structure and name', { structure: { title: 'T', form: [] }, name: 'Other' }],
  ])('accepts %s and returns "OK"', async (_, json) => {
    const uri = await survey()
    const reply = await ann.put(`${uri}structure/`, { json })
    expect(reply).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.get(`${uri}structure/`)).body.title).toEqual({ en: 'T' })
    expect((await ann.get(uri)).body.name).toBe('Feedback')
  })

  test.each<[string, object, object]>([
    ['its name', { name: 'Renamed', form: [] }, { en: 'Renamed' }],
    ['its name in languages', { name: { fr: 'Avis', en: 'Views' } }, { fr: 'Avis', en: 'Views' }],
    ['the current title without a name', { form: [] }, { en: 'Current' }],
    ['the current title if the name is blank', { name: ' ', form: [] }, { en: 'Current' }],
    ['the current title if the name is not a text', { name: 7, form: [] }, { en: 'Current' }],
  ])('fills in a missing title with %s and keeps the other members', async (_, structure, title) => {
    const uri = await survey()
    await ann.put(`${uri}structure/`, { json: { title: 'Current' } })
    expect(await ann.put(`${uri}structure/`, { json: { structure } })).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.get(`${uri}structure/`)).body).toMatchObject({ ...structure, title })
    expect((await ann.get(uri)).body.name).toBe('Feedback')
  })

  test.each([
    ['a structure without title, form and name', { structure: {} }],
    ['a body with only a name, which could be that of the survey', { name: 'x' }],
  ])('returns 400 for %s, which would remove all questions', async (_, json) => {
    const { status, body } = await ann.put(`${await survey()}structure/`, { json })
    expect([status, body.errors]).toMatchObject([400, [{ field: '/title', message: 'is required' }]])
  })

  test('reads the structure of a form as JSON', async () => {
    const uri = await survey()
    const structure = JSON.stringify({ title: 'From a form', form: [{ children: [question('q1')] }] })
    expect((await ann.put(`${uri}structure/`, { form: { structure } })).status).toBe(200)
    expect((await ann.put(`${uri}structure/`, { multipart: { structure } })).status).toBe(200)
    expect((await ann.get(`${uri}questions/`)).body.count).toBe(1)
  })

  test('creates a version for an accepted structure, and no version for a rejected structure', async () => {
    const uri = await survey()
    await ann.put(`${uri}structure/`, { json: { title: 'Two' } })
    await ann.put(`${uri}structure/`, { json: { title: 'Two' } })
    await ann.put(`${uri}structure/`, { json: { title: '' } })
    expect((await ann.get(`${uri}versions/`)).body.count).toBe(3)
  })

  test('names each error by its JSON pointer [spec 6.3]', async () => {
    const uri = await survey()
    const children = [question('q1'), question('q1'), { idname: 'single-choice', id: 'q~/', title: 'x' }]
    for (const json of [{ title: 'T', form: [{ children }] }, { structure: { title: 'T', form: [{ children }] } }]) {
      const reply = await ann.put(`${uri}structure/`, { json })
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_structure' } })
      const fields = reply.body.errors.map(({ field }: { field: string }) => field)
      expect(fields).toContain('/form/0/children/1/id')
      expect(fields.some((field: string) => field.startsWith('/form/0/children/2'))).toBe(true)
    }
  })

  const coded = (...codes: unknown[]) => codes.map((code, index) => ({ label: `C${index}`, code }))
  const grid = (choices: unknown[], rows: unknown[]) => ({
    idname: 'single-choice-grid',
    id: 'g',
    choices,
    children: rows,
  })
  test('keeps the code of a choice, a row and a column, also when the choice moves [spec 6.6]', async () => {
    const uri = await survey()
    const questions = [
      { idname: 'single-choice', id: 'q', title: 'Q', choices: coded('98', 'x'.repeat(64)) },
      grid(coded('good', null), coded('r1', 'good')),
    ]
    const put = await ann.put(`${uri}structure/`, { json: { title: 'T', form: [{ children: questions }] } })
    expect(put.status).toBe(200)
    const [single, matrix] = (await ann.get(`${uri}structure/`)).body.form[0].children
    const codes = (items: { code?: string; uid: number }[]) => items.map(({ code, uid }) => [code, uid])
    expect(codes(single.choices)).toEqual([
      ['98', 0],
      ['x'.repeat(64), 1],
    ])
    expect(codes(matrix.choices)).toEqual([
      ['good', 0],
      [undefined, 1],
    ])
    expect(codes(matrix.children)).toEqual([
      ['r1', 0],
      ['good', 1],
    ])
  })

  test.each([
    ['a code of 65 characters', coded('x'.repeat(65)), '0/code', 'invalid_type'],
    ['a blank code', coded(' '), '0/code', 'blank'],
    ['a number as code', coded(1), '0/code', 'invalid_type'],
    ['two equal codes', coded('a', 'b', 'a'), '2/code', 'duplicate'],
  ])('returns 400 for %s, in choices, rows and columns', async (_, items, field, code) => {
    const uri = await survey()
    for (const [json, list] of [
      [{ idname: 'single-choice', id: 'q', choices: items }, 'choices'],
      [grid(items, coded('r')), 'choices'],
      [grid(coded('c'), items), 'children'],
    ] as const) {
      const reply = await ann.put(`${uri}structure/`, { json: { title: 'T', form: [{ children: [json] }] } })
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_structure' } })
      expect(reply.body.errors).toMatchObject([{ field: `/form/0/children/0/${list}/${field}`, code }])
    }
  })

  const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`
  test.each([
    ['U+0000 in a text', '{"title":"a\\u0000b"}'],
    ['an unpaired surrogate', '{"title":"a\\ud800"}'],
    ['an unpaired surrogate in a name', '{"title":"a","x\\udc00":1}'],
    ['U+0000 in an unknown member', '{"title":"a","x":{"y":["\\u0000"]}}'],
    ['a member __proto__', '{"title":"a","__proto__":{"x":1}}'],
    ['a depth of 50 levels', `{"title":"a","x":${deep(25)}}`],
    ['a depth of 40,000 levels', `{"title":"a","x":${deep(20_000)}}`],
    ['a list', '[]'],
    ['none of title, name and form', '{"quotas":[]}'],
    ['an empty title', '{"title":""}'],
    ['a structure that is not an object', '{"structure":"x"}'],
    ['invalid JSON', '{"title"'],
  ])('returns 400 for %s, in JSON and in a form', async (_, body) => {
    const uri = await survey()
    const headers = { 'content-type': 'application/json' }
    expect((await ann.put(`${uri}structure/`, { body, headers })).status).toBe(400)
    expect((await ann.put(`${uri}structure/`, { form: { structure: body } })).status).toBe(400)
    expect((await ann.get(`${uri}structure/`)).body.title).toEqual({ en: 'Feedback' })
  })

  test('creates four versions from four concurrent requests', async () => {
    const uri = await survey()
    const titles = ['a', 'b', 'c', 'd']
    const replies = await Promise.all(titles.map((title) => ann.put(`${uri}structure/`, { json: { title } })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await ann.get(`${uri}versions/`)).body.count).toBe(5)
  })
})

describe('survey operations of another account', () => {
  test.each([
    ['GET', 'structure/'],
    ['PUT', 'structure/'],
    ['GET', 'questions/'],
    ['GET', 'questions/q1/'],
    ['GET', 'languages/'],
    ['PUT', 'languages/'],
    ['GET', 'versions/'],
    ['POST', 'versions/'],
    ['GET', 'versions/1/'],
    ['GET', 'versions/1/diff/1/'],
    ['GET', 'settings/'],
    ['PUT', 'settings/'],
  ])('return 404 for %s %s', async (method, path) => {
    const uri = await survey()
    await ann.put(`${uri}structure/`, { json: { title: 'T', form: [{ children: [question('q1')] }] } })
    const json = { title: 'T', languages: [{ code: 'en', isDefault: true }], restore: 1 }
    const sent = method === 'GET' ? {} : { json }
    expect(await bob.send(method, uri + path, sent)).toMatchObject({ status: 404, body: { code: 'survey_not_found' } })
    expect((await world.anonymous.send(method, uri + path, sent)).status).toBe(401)
    expect((await ann.send(method, uri + path, sent)).status).toBeLessThan(300)
  })
})

describe('warnings of updateStructure [spec 6.12]', () => {
  const misspelt = { title: 'Misspelt', form: [{ children: [{ ...question('q1'), requird: true }] }] }
  const warning = {
    pointer: '/form/0/children/0/requird',
    code: 'unknown_member',
    message: '“requird” has no effect. Did you mean “required”?',
  }

  test('returns OK for a misspelt member, as old clients expect', async () => {
    const uri = await survey()
    expect(await ann.put(`${uri}structure/`, { json: misspelt })).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(`${uri}structure/`)).body.form[0].children[0].requird).toBe(true)
  })

  test('names a misspelt member with a suggestion when warnings are requested', async () => {
    const uri = await survey()
    const reply = await ann.put(`${uri}structure/?warnings=1`, { json: { structure: misspelt } })
    expect(reply).toMatchObject({ status: 200, body: { status: 'OK', version: 2, warnings: [warning] } })
    const valid = await ann.put(`${uri}structure/?warnings`, { json: { title: 'Valid' } })
    expect(valid.body).toEqual({ status: 'OK', version: 3, warnings: [] })
  })
})
