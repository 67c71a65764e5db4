import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { ACROSS_SURVEYS, DISTRIBUTED_FUNCTIONS, DISTRIBUTED_TABLES } from '../../src/domain/tables.ts'
import { createTestDatabase } from '../support/database.ts'
import { functionViolations } from '../support/function-rule.ts'
import { violations } from '../support/statement-rule.ts'

let client: pg.Client
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await drop()
})

const definitionOf = async (name: string) =>
  (await client.query('select pg_get_functiondef(oid) as text from pg_proc where proname = $1', [name])).rows[0].text

describe('statements on responses', () => {
  test.each([
    ['one survey', 'select * from response where survey_id = $1 and id = any($2)'],
    [
      'one survey through a join',
      'select * from survey left join survey_feed f on f.survey_id = survey.id where survey.id = 7',
    ],
    [
      'one survey in every subquery',
      'with r as (select * from response where survey_id = $1) select * from r join response_change c on c.survey_id = $1',
    ],
    ['rows of one survey', 'insert into response_quota (survey_id, quota) values ($1, $2), ($3, $4)'],
    [
      'all surveys, with the comment ACROSS_SURVEYS',
      `select ${ACROSS_SURVEYS} * from survey join survey_feed on survey_feed.survey_id = survey.id`,
    ],
    ['no responses', 'delete from invite where collector_id = any($1)'],
  ])('are accepted if they concern %s', (_, statement) => {
    expect(violations(statement)).toEqual([])
  })

  test.each([
    [
      'a query of one response without its survey',
      'select * from response where id = $1',
      ['response: names no single survey'],
    ],
    [
      'a query of several surveys',
      'select * from response where survey_id = any($1)',
      ['response: names no single survey'],
    ],
    [
      'a query whose condition has an alternative without the survey',
      'select * from response where survey_id = $1 or id = $2',
      ['response: names no single survey'],
    ],
    [
      'a query with a subquery that names no survey',
      'select (select count(*) from response) from response where survey_id = $1',
      ['response: names no single survey'],
    ],
    [
      'a deletion in several surveys',
      `delete ${ACROSS_SURVEYS} from response where survey_id in ($1, $2)`,
      ['response: names no single survey'],
    ],
    [
      'an update from another table',
      'update response r set key = $1 from invite i where i.survey_id = r.survey_id and r.survey_id = $2',
      ['invite: is neither distributed nor on every node'],
    ],
    ['a copy of several surveys', 'copy (select * from response) to stdout', ['response: names no single survey']],
    [
      'an insertion from several surveys',
      'insert into response_count (survey_id, collector_id) select survey_id, id from collector',
      ['response_count: inserts rows of no single survey'],
    ],
    [
      'modifications of two tables',
      'with gone as (delete from response where survey_id = $1 returning id) insert into response_change (survey_id, response_id) select $1, id from gone',
      ['modifies several tables in one statement'],
    ],
  ])('are rejected if they are %s', (_, statement, expected) => {
    expect(violations(statement)).toEqual(expected)
  })

  test.each(DISTRIBUTED_FUNCTIONS)('name one survey in the database function %s', async (name) => {
    const definition = await definitionOf(name)
    expect(functionViolations(definition)).toEqual([])
    const broken = definition
      .replaceAll('survey_id = of_survey', 'survey_id > of_survey')
      .replaceAll('select of_survey,', 'select of_survey + id,')
    expect(functionViolations(broken)).toContainEqual(
      expect.stringMatching(/: (names|inserts rows of) no single survey/),
    )
  })

  test('are checked for every table with data of responses', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select tablename::text as name from pg_tables where schemaname = 'public' and (tablename like 'response%' or tablename = 'survey_feed')`,
    )
    expect(rows.map(({ name }) => name).sort()).toEqual([...DISTRIBUTED_TABLES].sort())
  })
})
