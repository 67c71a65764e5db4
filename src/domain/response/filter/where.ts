import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Answers } from '../../structure/questionnaire.ts'
import { fromStored } from '../../structure/stored.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import { type Comparison, type Condition, DATETIME_PATTERNS, DECIMAL, type Filter } from './condition.ts'

type Builder = ExpressionBuilder<Tables, 'response'>

/**
 * Builds the condition that a row of `response` belongs to a survey and passes every filter. Every value is bound and
 * cast to its type, so that the query works with parameters and with literals (`COPY` does not support parameters).
 */
export const whereResponses =
  (surveyId: number, filters: readonly Filter[]) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([
      eb('response.survey_id', '=', sql<number>`${surveyId}::bigint`),
      ...filters
        .map(({ test }) => test)
        .sort((a, b) => Number(READS_ANSWERS.has(a.kind)) - Number(READS_ANSWERS.has(b.kind)))
        .map((test) => condition(eb, test)),
    ])

/**
 * Kinds of conditions that can read answers. These conditions come last: PostgreSQL evaluates conditions in order, and
 * reading JSON takes the longest.
 */
const READS_ANSWERS: ReadonlySet<Condition['kind']> = new Set([
  'answer',
  'equals',
  'unanswered',
  'order',
  'rank',
  'moment',
  'contains',
  'identified',
  'any',
])

function condition(eb: Builder, test: Condition): Expression<SqlBool> {
  switch (test.kind) {
    case 'number':
      return numberCondition(eb, test)
    case 'text':
      return textCondition(eb, test)
    case 'time':
      return timeCondition(eb, test)
    case 'network':
      return sql<SqlBool>`coalesce(${ADDRESS} <<= ${test.network}::inet, false)`
    case 'key':
      return eb('response.key', '=', sql<Buffer>`decode(${test.value}::text, 'hex')`)
    case 'answer': {
      const matches = anyOf(eb, test.keys, (key) => eb.or(test.values.map((value) => hasValue(key, value))))
      return test.negated ? eb.not(matches) : matches
    }
    case 'equals':
      return anyOf(eb, test.keys, (key) =>
        eb.or([isText(key, test.text), ...test.numbers.map((value) => hasValue(key, value))]),
      )
    case 'unanswered':
      return eb.and(
        test.keys.map(
          (key) => sql<SqlBool>`coalesce(response.answers -> ${key}::text, 'null') in ('null', '""', '[]')`,
        ),
      )
    case 'order':
      return anyOf(eb, test.keys, (key) => eb(numberIn(key), test.operator, sql<number>`${test.limit}::numeric`))
    case 'moment':
      return anyOf(eb, test.keys, (key) => eb(momentIn(key, test), test.operator, sql<string>`${test.moment}::text`))
    case 'rank':
      return rankCondition(test)
    case 'contains':
      return anyOf(eb, test.keys, (key) => containsIn(key, test.text))
    case 'any':
      return eb.or(test.filters.map((filter) => condition(eb, filter.test)))
    case 'identified': {
      const isIdentified = sql<SqlBool>`response.collector_id = any(${`{${test.collectors}}`}::bigint[])`
      const inner = condition(eb, test.test)
      return test.elsewhere ? eb.or([eb.not(isIdentified), inner]) : eb.and([isIdentified, inner])
    }
  }
}

/** Combines conditions on keys with `or`. The result is never null: a comparison with an absent answer is false. */
const anyOf = (eb: Builder, keys: readonly string[], of: (key: string) => Expression<SqlBool>): Expression<SqlBool> =>
  eb.or(keys.map((key) => sql<SqlBool>`coalesce(${of(key)}, false)`))

/**
 * Builds the condition that the answer is a value or a list that contains the value (PostgreSQL, "jsonb Containment").
 */
const hasValue = (key: string, value: string | number | boolean) =>
  sql<SqlBool>`response.answers -> ${key}::text @> ${JSON.stringify(value)}::jsonb`

/**
 * Builds the expression that converts an answer to a number; null for an answer that is neither a number nor a numeric
 * text. The casts are inside `case`, so they never fail.
 */
export const numberIn = (
  key: string | Expression<string>,
) => sql<number>`case jsonb_typeof(response.answers -> ${key}::text)
  when 'number' then (response.answers ->> ${key}::text)::numeric
  when 'string' then case when response.answers ->> ${key}::text ~ ${DECIMAL}::text then (response.answers ->> ${key}::text)::numeric end
  end`

const isText = (key: string, text: string) =>
  sql<SqlBool>`lower(response.answers ->> ${key}::text) = lower(${text}::text)`

const containsIn = (key: string, text: string) =>
  sql<SqlBool>`strpos(lower(response.answers ->> ${key}::text), lower(${text}::text)) > 0
    and jsonb_typeof(response.answers -> ${key}::text) = 'string'`

/** Builds the part of a date or time that is compared; null for answers of another type. */
const momentIn = (key: string, { moment, format }: Extract<Condition, { kind: 'moment' }>) =>
  sql<string>`case when jsonb_typeof(response.answers -> ${key}::text) = 'string' and response.answers ->> ${key}::text ~ ${DATETIME_PATTERNS[format]}::text
  then left(response.answers ->> ${key}::text, ${moment.length}::integer) collate "C" end`

function rankCondition({ key, uid, operator, rank }: Extract<Condition, { kind: 'rank' }>): Expression<SqlBool> {
  const choice = sql`${String(uid)}::jsonb`
  if (operator === '=')
    return sql<SqlBool>`coalesce(response.answers -> ${key}::text -> ${rank - 1}::integer = ${choice}, false)`
  const ranking = sql`case jsonb_typeof(response.answers -> ${key}::text) when 'array' then response.answers -> ${key}::text else '[]' end`
  return sql<SqlBool>`exists (select from jsonb_array_elements(${ranking}) with ordinality as ranked (choice, rank)
    where ranked.choice = ${choice} and ranked.rank ${sql.raw(operator)} ${rank}::integer)`
}

function numberCondition(
  eb: Builder,
  { column, operator, value }: Extract<Condition, { kind: 'number' }>,
): Expression<SqlBool> {
  if (value === null) return eb(`response.${column}`, 'is', null)
  const isKey = column === 'id' || column === 'collector_id'
  return eb(`response.${column}`, operator, isKey ? sql<number>`${value}::bigint` : sql<number>`${value}::float8`)
}

function textCondition(
  eb: Builder,
  { column, value, negated }: Extract<Condition, { kind: 'text' }>,
): Expression<SqlBool> {
  // Without `coalesce`, PostgreSQL can use an index on the column.
  if (value !== '' && !negated) return eb(`response.${column}`, '=', sql<string>`${value}::text`)
  return eb(eb.fn.coalesce(`response.${column}`, sql<string>`''`), negated ? '<>' : '=', sql<string>`${value}::text`)
}

/**
 * The IP address of a response; null for a text that is no IP address, which an import can contain. Only texts that
 * the cast accepts reach it. The second pattern matches complete IPv6 addresses, and the third shortened ones, with at
 * most seven colons. IPv4-mapped addresses of responses from earlier versions are IPv4 addresses.
 */
const ADDRESS = sql`case
  when response.ip_address ~* '^(::ffff:)?((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])$'
    then regexp_replace(response.ip_address, '^::ffff:', '', 'i')::inet
  when response.ip_address ~* '^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}$' then response.ip_address::inet
  when response.ip_address ~* '^(?!(.*:){8})([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?::([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?$'
    then response.ip_address::inet
  end`

const at = (instant: number) => sql<string>`to_timestamp(${instant}::float8 / 1000)`

function timeCondition(
  eb: Builder,
  { column, operator, from, before }: Extract<Condition, { kind: 'time' }>,
): Expression<SqlBool> {
  const since = eb(`response.${column}`, '>=', at(from))
  const until = eb(`response.${column}`, '<', at(before))
  const sides: Record<Comparison, () => Expression<SqlBool>> = {
    '=': () => eb.and([since, until]),
    '<': () => eb(`response.${column}`, '<', at(from)),
    '>': () => eb(`response.${column}`, '>=', at(before)),
    '<=': () => until,
    '>=': () => since,
  }
  return sides[operator]()
}

/** A row of the table `response`. Times are strings that `Date` parses. */
export type StoredResponse = Selectable<Tables['response']>

/**
 * Converts the answers of responses from stable numbers of choices and rows to present positions.
 * @returns the same objects if no choice or row of the survey was ever moved
 */
export const withCurrentPositions = ({ questionnaire: q }: SurveySnapshot, rows: StoredResponse[]): StoredResponse[] =>
  q.renumbered ? rows.map((row) => ({ ...row, answers: { ...fromStored(q, row.answers as Answers) } })) : rows
