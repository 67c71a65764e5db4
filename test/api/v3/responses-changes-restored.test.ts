import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

// The clock does not advance: changes after the restore have the same times and IDs as the lost ones.
const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const TABLES = ['response', 'response_change', 'survey_feed', 'response_count']
const sql = async (statement: string) => (await world.application.services.pool.query(statement)).rows

async function backUp(): Promise<void> {
  await sql('drop schema if exists backup cascade; create schema backup')
  for (const table of TABLES) await sql(`create table backup.${table} as table ${table}`)
  await sql(`create table backup.numbers as select last_value from response_id_seq`)
}

async function restore(): Promise<void> {
  await sql(`truncate ${TABLES.join(', ')} cascade`)
  for (const table of TABLES) {
    const columns = await sql(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
       where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`,
    )
    await sql(`insert into ${table} (${columns[0].names}) select ${columns[0].names} from backup.${table}`)
  }
  await sql(`select setval('response_id_seq', (select last_value from backup.numbers))`)
}

async function surveyWith(responses: number) {
  const survey = await makeSurvey(ann)
  const list = `/api/v3/surveys/${survey}/responses/`
  const add = async (count: number) => {
    for (let n = 0; n < count; n += 1) expect((await ann.post(list, { form: { q1: 0 } })).status).toBe(201)
  }
  await add(responses)
  const read = (since?: string) => ann.get(`${list}changes/${since ? `?since=${since}` : ''}`)
  return { id: survey, add, read }
}

describe('listResponseChanges after a restore [spec 7.9]', () => {
  test('returns 410 cursor_expired for a cursor from after the backup, even if the new feed has reached the number of the cursor', async () => {
    const { add, read } = await surveyWith(3)
    await backUp()
    await add(2)
    const { next_cursor } = (await read()).body
    await restore()
    const expired = await read(next_cursor)
    expect([expired.status, expired.body.code]).toEqual([410, 'cursor_expired'])
    expect(expired.body.errors).toMatchObject([{ field: 'since', message: expect.stringContaining('omit it') }])
    await add(2)
    expect((await read(next_cursor)).status).toBe(410)
    await add(1)
    expect((await read(next_cursor)).body.code).toBe('cursor_expired')
    expect((await read()).body.results).toHaveLength(6)
  })

  test('continues from a cursor from before the backup without a gap', async () => {
    const { add, read } = await surveyWith(3)
    const { next_cursor } = (await read()).body
    await add(1)
    await backUp()
    await add(2)
    await restore()
    await add(1)
    const { status, body } = await read(next_cursor)
    expect(status).toBe(200)
    expect(body.results.map(({ seq }: { seq: number }) => seq)).toEqual([4, 5])
  })

  test('accepts a cursor of an earlier version of Canvass, which has no epoch, while the change with its number exists', async () => {
    const { id, add, read } = await surveyWith(2)
    const old = (seq: number) => Buffer.from(`${id}:${seq}`).toString('base64url')
    expect((await read(old(0))).body.results).toHaveLength(2)
    const { body } = await read(old(1))
    expect(body.results.map(({ seq }: { seq: number }) => seq)).toEqual([2])
    await add(1)
    expect((await read(body.next_cursor)).body.results.map(({ seq }: { seq: number }) => seq)).toEqual([3])
    expect((await read(old(99))).status).toBe(410)
  })

  test('continues from a cursor whose change was stored by an earlier version of Canvass', async () => {
    const { id, add, read } = await surveyWith(1)
    await sql(`update response_change set epoch = null where survey_id = ${id}`)
    const { next_cursor } = (await read()).body
    await add(1)
    expect((await read(next_cursor)).body.results).toHaveLength(1)
    await sql(`update response_change set epoch = 5 where survey_id = ${id} and seq = 1`)
    expect((await read(next_cursor)).status).toBe(410)
  })
})
