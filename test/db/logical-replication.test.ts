import { describe, expect, test } from '@jest/globals'
import { runSql } from '../support/replicated-postgres.ts'
import { eraseSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })

describe('logical replication', () => {
  test('can identify the rows of every table', async () => {
    const tables = await runSql<{ name: string }>(
      world.databaseUrl,
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and c.relreplident <> 'f'
         and not exists (select from pg_index where indrelid = c.oid and (indisprimary or indisreplident))`,
    )
    expect(tables).toEqual([])
  })

  test('of all tables does not prevent changes of themes, nor the deletion of surveys', async () => {
    const person = await world.person()
    await runSql(world.databaseUrl, 'create publication all_tables for all tables')
    const { body: survey } = await person.post('/api/v3/surveys/', { json: { name: 'Drinks' } })
    const theme = `/api/v3/surveys/${survey.id}/theme/`
    for (const colour of ['#123456', '#654321'])
      expect((await person.put(theme, { json: { accent_color: colour } })).status).toBe(200)
    await eraseSurvey(person, survey.id)
  })
})
