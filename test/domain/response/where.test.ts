import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { createOrm } from '../../../src/db/orm.ts'
import type { Filter } from '../../../src/domain/response/filter/condition.ts'
import { parseFilters } from '../../../src/domain/response/filter/filter.ts'
import { whereResponses } from '../../../src/domain/response/filter/where.ts'
import type { Tables } from '../../../src/domain/tables.ts'
import { questionnaire as q } from '../../support/colours.ts'
import { createTestDatabase } from '../../support/database.ts'
import fc from '../../support/fast-check.ts'
import { matches } from '../../support/matches.ts'

let orm: MikroORM
let drop: () => Promise<void>
const db = () => orm.em.fork().getKysely<Tables>()

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  orm = createOrm(database.url)
})
afterAll(async () => {
  await orm.close(true)
  await drop()
})

const instant = fc.constantFrom(
  '2024-01-30T23:59:59.999Z',
  '2024-01-31T00:00:00Z',
  '2024-01-31T10:15:07Z',
  '2024-02-01T00:00:00Z',
)
const texts = [
  '',
  'Red',
  '1',
  '-2.50',
  '10',
  '1e3',
  'a\'b"c\\',
  'é😀',
  '2024-01-31',
  '2024-01-31T10:15',
  '2024-01-32',
  '10:15',
  'true',
]
/** An answer of any type: the question may have had another type when it was answered. */
const answer = fc.oneof(
  fc.constantFrom<unknown>(...texts),
  fc.constantFrom<unknown>(0, 1, 2, 10, 1.5, true, false, null),
  fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
)
const keys = ['name', 'one', 'one\\other', 'many', 'sure', 'when', 'a=b', 'rank', 'grid_0', 'grid_1', 'nps']
const optional = fc.option(fc.constantFrom('', 'a', "b'"))
const response = fc.record({
  survey_id: fc.constantFrom(1, 1, 1, 2),
  collector_id: fc.constantFrom(1, 2),
  completed: fc.constantFrom(0, 1, 2),
  locale: fc.option(fc.constantFrom(0, 5)),
  saves: fc.constantFrom(1, 2),
  completion_time: fc.option(fc.constantFrom(0, 60)),
  weighted_score: fc.option(fc.constantFrom(0, 2.5, -1)),
  created_at: instant.map((time) => new Date(time)),
  updated_at: instant.map((time) => new Date(time)),
  key: fc.constant(null).map(() => randomBytes(20)),
  answers: fc.dictionary(fc.constantFrom(...keys), answer),
  language: fc.constantFrom('', 'en', 'fr'),
  username: fc.constantFrom('', 'ann'),
  ip_address: fc.constantFrom('0.0.0.0', '::1'),
  get_variables: optional,
  referrer: optional,
  pagepath: optional,
  invite_email: optional,
  invite_name: optional,
})

const operator = fc.constantFrom('=', '=', '<', '>', '<=', '>=', '~')
const times = [
  '2024-01-31',
  '2024-01-31',
  '2024-01-31T10:15',
  '2024-01-31T10:15:07',
  '2024-01-30T23:59:59.999Z',
  '9999-12-31',
  '0100-01-01',
]
const numbers = ['', '0', '1', '2', '2.5', '-1', '60']
const answerValues = [...texts, '0', '2', 'Bleu', 'No', '1.0']
/** A name of a filter, and a value that is probably valid for this name. */
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom('_created_at', '_updated_at'), fc.constantFrom(...times)),
  fc.tuple(
    fc.constantFrom('_id', '_collector', '_completed', '_locale', '_saves', '_completion_time', '_weighted_score'),
    fc.constantFrom(...numbers),
  ),
  fc.tuple(
    fc.constantFrom('_username', '_language', '_referrer', '_get_variables', '_invite_email'),
    fc.constantFrom('', 'ann', 'en', 'a', "b'"),
  ),
  fc.tuple(fc.constantFrom('rank\\0', 'rank\\2'), fc.constantFrom('', '1', '2', '3')),
  fc.tuple(fc.constantFrom('when', 'name'), fc.constantFrom(...times, '10:15', '10:14:30')),
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...keys, 'grid', 'many\\1'), fc.constantFrom(...answerValues)) },
)

/** A valid filter. Other tests cover invalid filters. */
const filter = fc
  .tuple(comparison, operator)
  .map(([[key, text], op]): Filter[] => {
    try {
      return parseFilters(`${encodeURIComponent(key)}${op}${encodeURIComponent(text)}`, q, 'strict', new Set())
    } catch {
      return []
    }
  })
  .filter((parsed) => parsed.length === 1)
  .chain(([parsed]) =>
    fc.constantFrom(parsed!, {
      ...parsed!,
      test: { kind: 'identified' as const, collectors: [2], elsewhere: parsed!.value === '', test: parsed!.test },
    }),
  )

test('whereResponses selects exactly the responses for which matches() returns true [spec 7.6]', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(response, { minLength: 5, maxLength: 30 }),
      fc.array(fc.array(filter, { maxLength: 2 }), { minLength: 20, maxLength: 20 }),
      async (rows, queries) => {
        await sql`delete from response`.execute(db())
        await db()
          .insertInto('response')
          .values(rows.map((row) => ({ ...row, answers: JSON.stringify(row.answers) as never })))
          .execute()
        const stored = await db().selectFrom('response').selectAll().orderBy('id').execute()
        for (const filters of queries) {
          const ids = await db()
            .selectFrom('response')
            .select('id')
            .where(whereResponses(1, filters))
            .orderBy('id')
            .execute()
          const expected = stored.filter((row) => row.survey_id === 1 && matches(filters, row))
          found += expected.length
          expect({ filters, ids: ids.map(({ id }) => id) }).toEqual({ filters, ids: expected.map(({ id }) => id) })
        }
      },
    ),
    { numRuns: 60 },
  )
  expect(found).toBeGreaterThan(1_000)
})

test('whereResponses casts every parameter, so that a driver can send it as text', () => {
  const filters = keys.flatMap((key) =>
    ['=2', '=2024-01-31', '>1', '='].flatMap((rest) => {
      try {
        return parseFilters(encodeURIComponent(key) + rest, q, 'strict', new Set())
      } catch {
        return []
      }
    }),
  )
  const { sql: text, parameters } = db().selectFrom('response').select('id').where(whereResponses(1, filters)).compile()
  expect(filters.length).toBeGreaterThan(20)
  parameters.forEach((parameter, index) => {
    expect(['string', 'number']).toContain(typeof parameter)
    expect(text).toMatch(new RegExp(`\\$${index + 1}::`))
  })
})
