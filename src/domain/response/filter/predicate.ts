import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Field, Question, Questionnaire, RemovedChoice } from '../../structure/questionnaire.ts'
import type { Tables } from '../../tables.ts'
import type { Filter } from './filter.ts'
import { numberIn, whereResponses } from './where.ts'

/**
 * A yes-or-no property of responses that the rollup counts. Predicates are stored as JSON, so renaming a member
 * requires a migration.
 */
export type Predicate =
  /** The response is in a state: 0 incomplete, 1 complete, 2 terminated. */
  | { kind: 'state'; state: number }
  /** The answer has this value, as text. With `complete`, the response is also complete. */
  | { kind: 'value'; key: string; value: string; complete?: true }
  /** At least one of the keys has an answer. */
  | { kind: 'answered'; keys: readonly string[] }
  /**
   * The answer is a list that contains the choice with this stable number. With `complete`, the response is also
   * complete.
   */
  | { kind: 'chosen'; key: string; index: number; complete?: true }
  /** The answer is a list in which the choice with the stable number `index` is at the position `place`, from 0. */
  | { kind: 'placed'; key: string; index: number; place: number }
  /** The answer has a type other than that of the present question, because the question was changed. */
  | { kind: 'typeMismatch'; key: string; expected: 'number' | 'boolean' | 'list' }

/** Returns the number of responses that have a predicate. */
export type Counts = (predicate: Predicate) => number

/** Returns the name of a predicate. Equal predicates have equal names. */
export const predicateName = (predicate: Predicate): string => JSON.stringify(predicate)

/** Removes duplicates. */
export const distinctPredicates = (predicates: readonly Predicate[]): Predicate[] => [
  ...new Map(predicates.map((predicate) => [predicateName(predicate), predicate])).values(),
]

/** Returns the response keys that a predicate reads. */
const answerKeys = (predicate: Predicate): readonly string[] =>
  predicate.kind === 'state' ? [] : predicate.kind === 'answered' ? predicate.keys : [predicate.key]

/**
 * Creates a lookup of counts by predicate.
 * @param counts in the order of the predicates
 */
export function createCounts(predicates: readonly Predicate[], counts: readonly number[]): Counts {
  const byName = new Map(predicates.map((predicate, index) => [predicateName(predicate), counts[index] ?? 0]))
  return (predicate) => byName.get(predicateName(predicate)) ?? 0
}

/**
 * Returns the predicate “this choice is selected” for a single-choice field. A yes-no question stores its choice 0 as
 * true and its choice 1 as false.
 */
export const valuePredicate = ({ storedKey: key, type }: Field, uid: number): Predicate => ({
  kind: 'value',
  key,
  value: type === 'boolean' ? String(uid === 0) : String(uid),
})

/**
 * Maximum number of removed choices that are counted for a question and for a row of a grid. The last choices in the
 * list of removed choices are counted.
 */
const MAX_COUNTED_REMOVED = { question: 100, row: 20 } as const

/** Returns the removed choices of a field that are counted. */
export const countedRemoved = ({ row, removed }: Field): readonly RemovedChoice[] =>
  removed.slice(-MAX_COUNTED_REMOVED[row ? 'row' : 'question'])

/** Returns the stable numbers of all counted choices of a field: first the present choices, then the removed ones. */
export const choiceNumbers = (field: Field): number[] =>
  [...field.choices, ...countedRemoved(field)].map(({ uid }) => uid)

/**
 * Maximum number of positions that are counted in addition to the number of present choices. There can be such
 * positions, because removed choices were ranked too.
 */
const MAX_EXTRA_POSITIONS = 20

/** Returns the number of positions that a choice of a ranking can have. */
export const positionsIn = ({ choices, removed }: Field): number =>
  choices.length + Math.min(removed.length, MAX_EXTRA_POSITIONS)

/** Returns the predicates that a report on a field counts. */
export function predicatesOf(field: Field): Predicate[] {
  const { storedKey: key, type } = field
  const answered: Predicate = { kind: 'answered', keys: [key] }
  const numbers = choiceNumbers(field)
  switch (type) {
    case 'single':
    case 'boolean':
    case 'number':
      return (type === 'boolean' ? field.choices.map(({ uid }) => uid) : numbers).map((uid) =>
        valuePredicate(field, uid),
      )
    case 'multi':
      return [answered, ...numbers.map((uid): Predicate => ({ kind: 'chosen', key, index: uid }))]
    case 'ranking':
      return [
        answered,
        ...field.choices.flatMap(({ uid }) =>
          Array.from(
            { length: positionsIn(field) },
            (_, place): Predicate => ({ kind: 'placed', key, index: uid, place }),
          ),
        ),
        ...countedRemoved(field).map(({ uid }): Predicate => ({ kind: 'chosen', key, index: uid })),
      ]
    default:
      return [answered]
  }
}

/** The predicates of the three states. Every response has exactly one of them. */
export const STATES: readonly Predicate[] = [0, 1, 2].map((state) => ({ kind: 'state', state }))

/** Returns the questions that can be answered, in the order of the survey. */
export const reportedQuestions = ({ questions }: Questionnaire): Question[] =>
  questions.filter(({ fields }) => fields.length > 0)

/** Returns the predicate “at least one row is answered” of a grid; none for other questions. */
export const anyRowAnswered = ({ rows, fields }: Question): Predicate[] =>
  rows.length > 0 ? [{ kind: 'answered', keys: fields.map(({ storedKey }) => storedKey) }] : []

/** Returns the predicates that a report counts. */
export const reportPredicates = (q: Questionnaire): Predicate[] => [
  ...STATES,
  ...reportedQuestions(q).flatMap((question) => [
    ...anyRowAnswered(question),
    ...question.fields.flatMap(predicatesOf),
  ]),
]

/** Maximum number of counts per statement. PostgreSQL supports 1,664 columns. */
const MAX_COUNTS_PER_STATEMENT = 1_000

/** Maximum length of a column name. PostgreSQL truncates longer names. */
const MAX_COLUMN_NAME_BYTES = 63

type ColumnType = 'text' | 'jsonb'

/** Returns the columns to extract from answers, by response key: lists as JSON, all others as text. */
function answerColumns(predicates: readonly Predicate[]): Map<string, ColumnType> {
  const columns = new Map<string, ColumnType>()
  for (const predicate of predicates)
    for (const key of answerKeys(predicate)) {
      if (Buffer.byteLength(key) > MAX_COLUMN_NAME_BYTES) continue
      const isList = predicate.kind === 'chosen' || predicate.kind === 'placed'
      if (isList || !columns.has(key)) columns.set(key, isList ? 'jsonb' : 'text')
    }
  return columns
}

/** Builds the row source `answer`, with which the JSON of a response is parsed once and not once for each count. */
function answerRecord(columns: ReadonlyMap<string, ColumnType>): RawBuilder<unknown> {
  const declared = [...columns].map(([key, type]) => sql`${sql.id(key)} ${sql.raw(type)}`)
  return sql`jsonb_to_record(response.answers) as answer(${sql.join(declared.length > 0 ? declared : [sql`_ text`])})`
}

function condition(predicate: Predicate, columns: ReadonlyMap<string, ColumnType>): RawBuilder<SqlBool> {
  const test = answerCondition(predicate, columns)
  return 'complete' in predicate && predicate.complete ? sql`(response.completed = 1 and ${test})` : test
}

function answerCondition(predicate: Predicate, columns: ReadonlyMap<string, ColumnType>): RawBuilder<SqlBool> {
  const json = (key: string) =>
    columns.get(key) === 'jsonb' ? sql`answer.${sql.id(key)}` : sql`response.answers -> ${key}::text`
  const exists = (key: string) =>
    columns.has(key) ? sql`answer.${sql.id(key)} is not null` : sql`response.answers -> ${key}::text is not null`
  switch (predicate.kind) {
    case 'state':
      return sql`response.completed = ${predicate.state}::integer`
    case 'value':
      return columns.get(predicate.key) === 'text'
        ? sql`answer.${sql.id(predicate.key)} = ${predicate.value}::text`
        : sql`response.answers ->> ${predicate.key}::text = ${predicate.value}::text`
    case 'answered':
      return sql`(${sql.join(predicate.keys.map(exists), sql` or `)})`
    case 'chosen':
      return sql`${json(predicate.key)} @> ${String(predicate.index)}::jsonb`
    case 'placed':
      return sql`${json(predicate.key)} ->> ${predicate.place}::integer = ${String(predicate.index)}::text`
    case 'typeMismatch':
      return predicate.expected === 'list'
        ? sql`${json(predicate.key)} @? '$[*] ? (@.type() <> "number")'`
        : sql`jsonb_typeof(response.answers -> ${predicate.key}::text) <> ${predicate.expected}::text`
  }
}

/** A row of counts: columns c0, c1, … in the order of the predicates. */
export type CountRow = Record<string, number>

/** Builds the columns `count(*) filter (where …) as c0, …` and the additional row source that they need. */
export function countColumns(predicates: readonly Predicate[]) {
  const columns = answerColumns(predicates)
  return {
    from: answerRecord(columns),
    counts: sql.join(
      predicates.map(
        (predicate, index) => sql`count(*) filter (where ${condition(predicate, columns)}) as ${sql.id(`c${index}`)}`,
      ),
    ),
  }
}

/**
 * Builds the columns `counts`, `weights` and `squares`, arrays in the order of the predicates, over responses with a
 * weight `w`, and the additional row source that they need.
 */
export function weightColumns(predicates: readonly Predicate[]) {
  const columns = answerColumns(predicates)
  const over = (aggregate: RawBuilder<unknown>) =>
    sql`array[${sql.join(
      predicates.map((predicate) => sql`${aggregate} filter (where ${condition(predicate, columns)})`),
    )}]::float8[]`
  return {
    from: answerRecord(columns),
    columns: sql`${over(sql`count(*)`)} as counts, ${over(sql`sum(w)`)} as weights, ${over(sql`sum(w * w)`)} as squares`,
  }
}

/** Builds, for each predicate, a text of ones and zeros: one digit for each response, in order of id. */
export function bitColumns(predicates: readonly Predicate[]) {
  const columns = answerColumns(predicates)
  return {
    from: answerRecord(columns),
    bits: sql.join(
      predicates.map(
        (predicate) =>
          sql`string_agg(case when ${condition(predicate, columns)} then '1' else '0' end, '' order by response.id)`,
      ),
    ),
  }
}

/** Classes of responses, numbered from 0. A response can belong to several classes unless they are `exclusive`. */
export interface PredicateClasses {
  predicates: readonly Predicate[]
  exclusive: boolean
}

/** Classes of numbers: class n has the answers from `bounds[n - 1]` to below `bounds[n]`. */
export interface NumberClasses {
  key: string
  bounds: readonly number[]
}

/** Classes of collectors: class n has the responses of the collector `collectors[n]`. */
export interface CollectorClasses {
  collectors: readonly number[]
}

export type Classes = PredicateClasses | NumberClasses | CollectorClasses

/**
 * Builds the row sources that give each response its pairs of a row class and a column class, as the columns
 * `row_class` and `column_class`.
 */
export function classPairs(rows: Classes, columns: Classes): RawBuilder<unknown> {
  const record = recordFor([rows, columns])
  return sql.join([
    ...record.source,
    sql`lateral ${classSource(rows, record.columns)} as row_source(row_class)`,
    sql`lateral ${classSource(columns, record.columns)} as column_source(column_class)`,
  ])
}

/** Builds the row sources that give each response its classes, as the column `class`. */
export function classSources(classes: PredicateClasses): RawBuilder<unknown> {
  const record = recordFor([classes])
  return sql.join([...record.source, sql`lateral ${classSource(classes, record.columns)} as class_source(class)`])
}

/** Builds the row source with which answers are parsed once. It is left out if no class needs it, because it is slow. */
function recordFor(all: readonly Classes[]) {
  const predicates = all.flatMap((classes) =>
    'predicates' in classes && !singleKey(classes) ? classes.predicates : [],
  )
  const columns = answerColumns(predicates)
  return { columns, source: columns.size > 0 ? [answerRecord(columns)] : [] }
}

/** Returns the key whose answer decides between the classes; undefined if one answer does not decide. */
function singleKey({ predicates, exclusive }: PredicateClasses): string | undefined {
  const [first] = predicates
  if (!exclusive || first?.kind !== 'value') return undefined
  const isSame = (one: Predicate) => one.kind === 'value' && one.key === first.key && !one.complete
  return predicates.every(isSame) ? first.key : undefined
}

function classSource(classes: Classes, columns: ReadonlyMap<string, ColumnType>): RawBuilder<unknown> {
  if ('collectors' in classes)
    return sql`(select array_position(${classes.collectors}::bigint[], response.collector_id) - 1)`
  if ('bounds' in classes) {
    const bounds = sql`${`{${classes.bounds}}`}::numeric[]`
    return sql`(select case when value is not null then width_bucket(value, ${bounds}) end
      from (select ${numberIn(classes.key)} as value offset 0) as number)`
  }
  const key = singleKey(classes)
  if (key !== undefined) {
    const cases = classes.predicates.map(
      (one, index) => sql`when ${'value' in one ? one.value : ''}::text then ${sql.lit(index)}::integer`,
    )
    return sql`(select case response.answers ->> ${key}::text ${sql.join(cases, sql` `)} end)`
  }
  const cases = classes.predicates.map(
    (predicate, index) => sql`when ${condition(predicate, columns)} then ${sql.lit(index)}`,
  )
  if (cases.length === 0) return sql`(select null::integer)`
  if (classes.exclusive) return sql`(select case ${sql.join(cases, sql` `)} end)`
  return sql`unnest(array[${sql.join(cases.map((one) => sql`case ${one} end`))}]::integer[])`
}

/** Splits predicates into batches that one statement can count. */
export function* predicateBatches<Item>(items: readonly Item[], size = MAX_COUNTS_PER_STATEMENT): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/**
 * Counts predicates over the responses that pass every filter. Reads the responses once, with one aggregate per
 * predicate, which PostgreSQL runs in parallel. (The alternative is to unnest and group the answers. It takes twice as
 * long, and creates a group for each text if the question was a text question before.)
 */
export async function countPredicates(
  db: Kysely<Tables>,
  surveyId: number,
  filters: readonly Filter[],
  requested: readonly Predicate[],
): Promise<Counts> {
  const predicates = distinctPredicates(requested)
  const counts: number[] = []
  for (const batch of predicateBatches(predicates)) {
    const { from, counts: columns } = countColumns(batch)
    const matching = db.selectFrom('response').where(whereResponses(surveyId, filters)).select(['completed', 'answers'])
    const { rows } = await sql<CountRow>`select ${columns} from ${matching} as response, ${from}`.execute(db)
    counts.push(...batch.map((_, index) => rows[0]?.[`c${index}`] ?? 0))
  }
  return createCounts(predicates, counts)
}
