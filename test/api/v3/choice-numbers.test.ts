import { beforeAll, describe, expect, test } from '@jest/globals'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import { csvTable } from '../../support/csv-table.ts'
import { drinks, drinksStructure } from '../../support/drinks.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const survey = (structure: object, answers?: Record<string, unknown>[]) => drinks(ann, structure, answers)

describe('the choices of an edited structure [spec 6.11]', () => {
  test('keep their answers when another choice is inserted before them', async () => {
    const { put, list, numbers } = await survey(drinksStructure(['Tea', 'Coffee']), [
      { drink: 0 },
      { drink: 1 },
      { drink: 0 },
    ])
    expect(await numbers()).toEqual([
      ['Tea', 0],
      ['Coffee', 1],
    ])
    expect(await put(drinksStructure(['Water', 'Tea', 'Coffee']))).toMatchObject({ status: 200, body: 'OK' })
    expect(await numbers()).toEqual([
      ['Water', 2],
      ['Tea', 0],
      ['Coffee', 1],
    ])
    expect(await list()).toEqual([1, 2, 1])
    expect(await list('include_labels')).toEqual(['Tea', 'Coffee', 'Tea'])
    expect([await list('drink=Water'), await list('drink=0'), await list('drink=1')]).toEqual([[], [], [1, 1]])
  })

  test('are matched by position when only a label changes', async () => {
    const { put, list } = await survey(drinksStructure(['Tee', 'Coffee']), [{ drink: 0 }])
    await put(drinksStructure(['Tea', 'Coffee']))
    expect(await list('include_labels')).toEqual(['Tea'])
  })

  test('are matched by number whatever else changes', async () => {
    const { put, list } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }, { drink: 1 }])
    await put(drinksStructure([{ label: 'Kaffee', uid: 1 }, { label: 'Coffee' }, { label: 'Tee', uid: 0 }]))
    expect(await list('include_labels')).toEqual(['Tee', 'Kaffee'])
    expect(await list()).toEqual([2, 0])
  })

  test('never get the number that another choice had in an earlier version', async () => {
    const { put, numbers } = await survey(drinksStructure(['Tea', 'Coffee']))
    await put(drinksStructure(['Tea']))
    await put(drinksStructure([{ label: 'Tea', uid: 0 }, { label: 'Water' }]))
    expect(await numbers()).toEqual([
      ['Tea', 0],
      ['Water', 2],
    ])
    await put(drinksStructure(['Tea', 'Water', 'Coffee']))
    expect(await numbers()).toEqual([
      ['Tea', 0],
      ['Water', 2],
      ['Coffee', 1],
    ])
  })

  test('keep their answers while the question is removed', async () => {
    const { put, list } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 1 }])
    await put({ title: 'Drinks', form: [] })
    await put(drinksStructure(['Water', 'Coffee', 'Tea']))
    expect(await list('include_labels')).toEqual(['Coffee'])
  })

  test('may be reordered in a yes-or-no question', async () => {
    const { put, list, uri } = await survey(drinksStructure(['Agreed', 'Refused'], 'boolean-choice'), [{ drink: true }])
    await put(drinksStructure(['Refused', 'Agreed'], 'boolean-choice'))
    expect([await list(), await list('include_labels')]).toEqual([[false], ['Agreed']])
    expect(await list('drink=Agreed')).toEqual([false])
    expect(csvTable((await ann.get(`${uri}csv/`)).text)).toMatchObject([{ drink: 'false' }])
    expect(csvTable((await ann.get(`${uri}csv/?include_labels=1`)).text)).toMatchObject([{ drink: 'Agreed' }])
  })

  test.each([
    ['1', 'must be a whole number from 0 to 999999', '/form/0/children/0/choices/0/uid'],
    [-1, 'must be a whole number from 0 to 999999', '/form/0/children/0/choices/0/uid'],
    [7, 'is a duplicate; omit it to get a new number', '/form/0/children/0/choices/1/uid'],
  ])('return 400 for the number %j', async (uid, message, field) => {
    const { put } = await survey(drinksStructure(['Tea', 'Coffee']))
    const reply = await put(
      drinksStructure([
        { label: 'Tea', uid },
        { label: 'Coffee', uid: 7 },
      ]),
    )
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field, message }] } })
  })

  test('return 400 if a question has the ID under which the answers to a grid row are stored', async () => {
    const grid = (rows: object[]) => ({
      idname: 'single-choice-grid',
      id: 'g',
      choices: [{ label: 'A' }],
      children: rows,
    })
    const { put } = await survey({ title: 'T', form: [{ children: [grid([{ label: 'x', uid: 5 }])] }] })
    const text = { idname: 'text-response', id: 'g_5' }
    const reply = await put({ title: 'T', form: [{ children: [grid([{ label: 'x' }]), text] }] })
    expect(reply).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: '/form/0/children/1/id', message: 'is already the key of a row of the grid g; choose another ID' },
        ],
      },
    })
  })
})

describe('the answer to a removed choice [spec 6.11]', () => {
  test('is shown with its last label when labels are requested, and omitted otherwise', async () => {
    const { put, list, uri } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }, { drink: 1 }])
    await put(drinksStructure(['Coffee', 'Water']))
    expect([await list(), await list('include_labels')]).toEqual([
      [undefined, 0],
      ['Tea', 'Coffee'],
    ])
    expect(await list('drink=Tea&include_labels')).toEqual(['Tea'])
    const cells = async (query: string) =>
      csvTable((await ann.get(`${uri}csv/?${query}`)).text).map(({ drink }) => drink)
    expect([await cells(''), await cells('include_labels=1')]).toEqual([
      ['', '0'],
      ['Tea', 'Coffee'],
    ])
    expect(await cells('score_based=1&include_labels=1')).toEqual(['', '2'])
  })

  test('is rejected in new responses and kept when a response is sent back as fetched', async () => {
    const { put, ids, list, uri } = await survey(drinksStructure(['Tea', 'Coffee', 'Milk'], 'multiple-choice'), [
      { drink: [0, 1] },
    ])
    await put(
      drinksStructure(
        [
          { label: 'Coffee', uid: 1 },
          { label: 'Milk', uid: 2 },
        ],
        'multiple-choice',
      ),
    )
    const rejected = await ann.post(`${uri}responses/`, { json: { drink: ['Tea'] } })
    expect(rejected).toMatchObject({ status: 400, body: { code: 'survey_error' } })
    expect(await list()).toEqual([[0]])
    await ann.put(`${uri}responses/${ids[0]}/`, { json: { drink: [0] } })
    expect(await list('include_labels')).toEqual([['Coffee', 'Tea']])
    await ann.put(`${uri}responses/${ids[0]}/`, { json: { drink: [0, 1] } })
    expect(await list('include_labels')).toEqual([['Coffee', 'Milk']])
  })

  test('is imported from an export with labels', async () => {
    const first = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }, { drink: 1 }])
    await first.put(drinksStructure([{ label: 'Coffee', uid: 1 }]))
    const { text } = await ann.get(`${first.uri}csv/?include_labels=1`)
    expect(await ann.act((context) => importResponses(context, first.id, text))).toMatchObject({ imported: 2 })
    expect(await first.list('include_labels')).toEqual(['Tea', 'Coffee', 'Tea', 'Coffee'])
  })
})
