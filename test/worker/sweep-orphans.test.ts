import { describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const ONE_QUESTION = {
  title: 'Lunch',
  form: [
    {
      type: 'page',
      children: [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }],
    },
  ],
}
const TABLES_WITHOUT_FOREIGN_KEY = ['response', 'response_change', 'response_count', 'survey_feed']

const run = (statement: string, values: unknown[] = []) => world.application.services.pool.query(statement, values)

describe('sweep-orphans', () => {
  test('deletes all rows of deleted surveys and keeps the rows of other surveys', async () => {
    const person = await world.person()
    const [deleted, existing] = [await makeSurvey(person, ONE_QUESTION), await makeSurvey(person, ONE_QUESTION)]
    for (const survey of [deleted, existing])
      for (let count = 0; count < 3; count += 1)
        await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { what: 'soup' } })
    // Earlier versions of Canvass could delete a survey without its rows in other tables.
    await run('delete from survey where id = $1', [deleted])
    await sweep()
    for (const table of TABLES_WITHOUT_FOREIGN_KEY) {
      const { rows } = await run(`select distinct survey_id from ${table}`)
      expect([table, rows]).toEqual([table, [{ survey_id: existing }]])
    }
    expect((await person.get(`/api/v3/surveys/${existing}/responses/`)).body.count).toBe(3)
  })

  test('finds many deleted surveys, even if their IDs are far apart, and keeps an existing survey among them', async () => {
    const existing = await makeSurvey(await world.person(), ONE_QUESTION)
    const deleted = [
      ...Array.from({ length: 300 }, (_, index) => existing + 1 + index),
      10_000 + existing,
      4_000_000_000,
    ]
    await run('insert into survey_feed (survey_id, seq, responses) select unnest($1::bigint[]), 0, 0', [
      [existing, ...deleted],
    ])
    await sweep()
    const { rows } = await run('select survey_id from survey_feed where survey_id >= $1', [existing])
    expect(rows).toEqual([{ survey_id: existing }])
  })

  test('restores a deleted collector if it has responses; the collector is then closed, and anonymous if its responses are', async () => {
    const person = await world.person()
    const survey = await makeSurvey(person, ONE_QUESTION)
    const { body } = await person.post('/api/v3/collectors/', { json: { survey, name: 'Newsletter' } })
    await person.post(`/api/v3/surveys/${survey}/responses/`, { json: { what: 'soup', _collector: body.id } })
    await run(`update response set ip_address = '' where survey_id = $1`, [survey])
    await run('delete from collector where id = $1', [body.id])
    await sweep()
    const { rows } = await run('select name, live, settings from collector where id = $1', [body.id])
    expect(rows).toEqual([{ name: `Deleted collector ${body.id}`, live: false, settings: { anonymous: true } }])
    const reply = await person.get(`/api/v3/collectors/${body.id}/`)
    expect(reply.body).toMatchObject({ live: 0, responses: 1 })
    expect((await person.get(`/api/v3/surveys/${survey}/`)).body.number_of_responses).toBe(1)
  })
})

async function sweep(): Promise<void> {
  await world.application.boss.send('sweep-orphans', {})
  expect((await world.runJobs()).map(({ name }) => name)).toContain('sweep-orphans')
}
