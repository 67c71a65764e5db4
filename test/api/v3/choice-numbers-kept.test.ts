import { beforeAll, describe, expect, test } from '@jest/globals'
import { Migration20261122010000_choice_numbers as Numbers } from '../../../src/db/migrations/Migration20261122010000_choice_numbers.ts'
import { drinks, drinksStructure } from '../../support/drinks.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const survey = (structure: object, answers?: Record<string, unknown>[]) => drinks(ann, structure, answers)

describe('a saved filter and a saved report', () => {
  test('refer to the same choice after an edit', async () => {
    const { put, list, uri } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }, { drink: 1 }])
    await ann.post(`${uri}filters/`, { json: { name: 'tea', query: 'drink=0' } })
    const { body: report } = await ann.post(`${uri}reports/`, { json: { title: 'Tea', query: 'drink=0' } })
    await put(drinksStructure(['Water', 'Tea', 'Coffee']))
    expect(await list('filter=tea&include_labels')).toEqual(['Tea'])
    expect((await ann.get(`${uri}filters/`)).body.results).toMatchObject([{ name: 'tea', query: 'drink=1' }])
    expect((await ann.get(report.report_uri)).body).toMatchObject({ query: 'drink=1', responses: { total: 1 } })
    await put(drinksStructure([{ label: 'Water', uid: 2 }]))
    expect(await list('filter=tea&include_labels')).toEqual(['Tea'])
    expect((await ann.get(`${uri}filters/`)).body.results).toMatchObject([{ name: 'tea', query: 'drink=Tea' }])
    await put(drinksStructure(['Coffee', 'Water', 'Tea']))
    expect((await ann.get(`${uri}filters/`)).body.results).toMatchObject([{ name: 'tea', query: 'drink=2' }])
  })
})

describe('restoreVersion and diffVersions', () => {
  test('restore the labels that the choices of stored answers had in the restored version', async () => {
    const { put, list, uri } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }])
    await put(
      drinksStructure([
        { label: 'Kaffee', uid: 1 },
        { label: 'Tee', uid: 0 },
      ]),
    )
    expect(await list('include_labels')).toEqual(['Tee'])
    await ann.post(`${uri}versions/`, { json: { restore: 1 } })
    expect([await list(), await list('include_labels')]).toEqual([[0], ['Tea']])
  })

  test('show added choices, and show reordered choices only as one change of their question', async () => {
    const { put, uri } = await survey(drinksStructure(['Tea', 'Coffee']))
    await put(drinksStructure(['Water', 'Tea', 'Coffee']))
    await put(drinksStructure(['Coffee', 'Water', 'Tea']))
    const first = (await ann.get(`${uri}versions/1/diff/2/`)).body
    expect(first.choices).toEqual({
      added: [{ question: 'drink', index: 0, label: { en: 'Water' } }],
      removed: [],
      changed: [],
    })
    expect(first.questions.changed).toEqual([])
    const second = (await ann.get(`${uri}versions/2/diff/3/`)).body
    expect(second.questions.changed).toEqual([
      { id: 'drink', changes: [{ member: 'choices', from: [2, 0, 1], to: [1, 2, 0] }] },
    ])
  })
})

test('duplicateSurvey keeps choice numbers, also in reports', async () => {
  const { put, uri } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }])
  await ann.post(`${uri}reports/`, { json: { title: 'Tea', query: 'drink=Tea' } })
  await ann.post(`${uri}reports/`, { json: { title: 'First', query: 'drink=0' } })
  await put(drinksStructure(['Water', 'Tea']))
  const { body } = await ann.post(`${uri}duplicate/`)
  const copy = `/api/v3/surveys/${body.id}/`
  expect((await ann.get(`${copy}structure/`)).body).toEqual((await ann.get(`${uri}structure/`)).body)
  expect((await ann.get(`${copy}reports/`)).body.results).toMatchObject([{ query: 'drink=Tea' }, { query: 'drink=1' }])
})

describe('a survey stored without choice numbers', () => {
  /** Removes the numbers from the stored structures and runs the migration again. */
  async function migrateAgain(id: number) {
    const { pool } = world.application.services
    const strip = `regexp_replace(structure::text, ',"uid":\\d+', '', 'g')::json`
    await pool.query(`update survey_version set structure = ${strip} where survey_id = $1`, [id])
    await pool.query(`update survey set structure = ${strip}, revision = revision + 1 where id = $1`, [id])
    const { rows } = await pool.query(`select structure from survey_version where survey_id = $1`, [id])
    expect(JSON.stringify(rows)).not.toContain('uid')
    const migration = new Numbers(world.em().getDriver() as never, {} as never)
    await migration.up()
    const [, ...statements] = migration.getQueries()
    await pool.query(`update survey set removed = '[]' where id = $1`, [id])
    for (const statement of statements) await pool.query(String(statement))
  }

  test('uses the positions in its structure as numbers and keeps its responses unchanged', async () => {
    const { id, put, list, numbers, uri } = await survey(drinksStructure(['Tea', 'Coffee']), [{ drink: 0 }])
    await migrateAgain(id)
    expect(await numbers()).toEqual([
      ['Tea', 0],
      ['Coffee', 1],
    ])
    expect((await ann.get(`${uri}versions/1/`)).body.structure).toEqual((await ann.get(`${uri}structure/`)).body)
    await put(
      drinksStructure([
        { label: 'Kaffee', uid: 1 },
        { label: 'Tee', uid: 0 },
      ]),
    )
    expect(await list('include_labels')).toEqual(['Tee'])
    await ann.post(`${uri}versions/`, { json: { restore: 1 } })
    expect(await list('include_labels')).toEqual(['Tea'])
  })

  test('keeps the choices that earlier versions offered in addition', async () => {
    const { id, put, list, numbers } = await survey(drinksStructure(['Tea', 'Coffee', 'Milk']), [{ drink: 2 }])
    await put(drinksStructure(['Tea', 'Coffee']))
    await migrateAgain(id)
    expect([await list(), await list('include_labels')]).toEqual([[undefined], ['Milk']])
    await put(drinksStructure(['Tea', 'Coffee', 'Water']))
    expect(await numbers()).toEqual([
      ['Tea', 0],
      ['Coffee', 1],
      ['Water', 3],
    ])
  })
})
