import { detail } from '../../error-details.ts'
import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { instantOf, parseIsoDatetime } from '../../structure/datetime.ts'
import { metaFieldByKey } from '../../structure/meta-fields.ts'
import type { ChoiceValues } from '../../structure/parse-answer.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { targetOf } from '../../structure/target.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import { variablesOf } from '../export/statistics/variables.ts'
import type { ImportedMeta } from '../submit/imported.ts'
import type { Completion } from '../submit/new-response.ts'

/** Content of a column of an imported table. */
export type Column =
  | { kind: 'answer'; name: string; field: Field }
  /**
   * The column of one choice. A cell is empty or contains the choice. For a ranking, a cell contains the rank of the
   * choice, from 1.
   */
  | { kind: 'choice'; name: string; field: Field; index: number }
  /** The column of one choice in a file for statistics programs: 1 if the choice is selected, 0 if not. */
  | { kind: 'tick'; name: string; field: Field; index: number }
  /** The labels or codes of the choices of a multiple choice that are removed. */
  | { kind: 'removed'; name: string; field: Field }
  | { kind: 'meta'; name: ImportedMetaKey }
  | { kind: 'ignored'; name: string }

/** The columns that say what the cells of choices contain. */
const MARKS: ReadonlyMap<string, RowContext['values']> = new Map([
  ['_labels', 'labels'],
  ['_codes', 'codes'],
])

/** Columns of exports that an import ignores. */
const IGNORED_NAMES = new Set(['', '_url', '_response_link', ...MARKS.keys(), ...metaFieldByKey.keys()])

type NumberedSurvey = Pick<SurveySnapshot, 'questionnaire' | 'questionNumbers'> &
  Partial<Pick<SurveySnapshot, 'weighting'>>

/** The columns of an imported table. */
export interface Header {
  columns: readonly Column[]
  /** What the cells of choices contain, if the file says so. */
  values?: RowContext['values']
}

/** Maximum number of columns. An export has at most as many, so every export can be imported. */
const MAX_COLUMNS = 100_000

/**
 * Parses the header of an imported table: response keys, identifiers, or headers of an export.
 * @throws {Problem} `invalid_csv` naming each unknown or duplicate column
 */
export function parseHeader(survey: NumberedSurvey, header: readonly string[]): Header {
  const { questionnaire: q } = survey
  if (header.length > MAX_COLUMNS)
    throw problems.invalidCsv([
      fieldError('row 1', 'too_many', { max: MAX_COLUMNS }, detail('too_many_columns', { max: MAX_COLUMNS })),
    ])
  const errors: FieldError[] = []
  const names = new Set<string>()
  const own = header.map(nameIn)
  const statistics = isForStatistics(q, own) ? statisticsColumns(survey) : undefined
  const columns = own.map((name, index): Column => {
    const column = statistics ? statisticsColumn(statistics, name) : columnOf(q, name)
    const isDuplicate = column && column.kind !== 'ignored' && names.has(column.name)
    const value = name.slice(0, 60)
    if (!column) errors.push(fieldError(`column ${index + 1}`, 'unknown_question', { value }))
    else if (isDuplicate)
      errors.push(fieldError(`column ${index + 1}`, 'duplicate', { value }, detail('duplicate_column', { value })))
    names.add(column?.name ?? name)
    return column ?? { kind: 'ignored', name }
  })
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
  if (columns.every(({ kind }) => kind === 'ignored'))
    throw problems.invalidCsv([fieldError('row 1', 'missing_column', {}, detail('no_question'))])
  const values = statistics ? 'codes' : own.map((name) => MARKS.get(name)).find(Boolean)
  return { columns, ...(values && { values }) }
}

/** Reports whether a header has the names of a file for statistics programs. */
const isForStatistics = (q: Questionnaire, names: readonly string[]): boolean =>
  !names.some((name) => metaFieldByKey.has(name)) &&
  ['response_id', 'response_completed'].some((name) => names.includes(name) && !targetOf(q, name))

const WEIGHT_VARIABLE = 'response_weight'
const statisticsCache = new WeakMap<Questionnaire, ReadonlyMap<string, Column>>()

/** Returns the columns of a file for statistics programs by name, in lower case. */
function statisticsColumns({ questionnaire, questionNumbers, weighting }: NumberedSurvey): ReadonlyMap<string, Column> {
  const cached = statisticsCache.get(questionnaire)
  if (cached) return cached
  const all = {
    include: undefined,
    language: undefined,
    withKey: true,
    withNumber: true,
    withCategories: false,
    withWeight: Boolean(weighting),
  }
  const variables = variablesOf(questionnaire, questionNumbers, all)
  const columns = new Map<string, Column>([['', { kind: 'ignored', name: '' }]])
  for (const { name, source } of variables)
    columns.set(
      name.toLowerCase(),
      'meta' in source ? metaColumn(source.meta.key) : answerColumn(source.field, source.choice?.index),
    )
  // A file can be older than the weights of the survey, or than their deletion.
  if (!columns.has(WEIGHT_VARIABLE)) columns.set(WEIGHT_VARIABLE, { kind: 'ignored', name: WEIGHT_VARIABLE })
  statisticsCache.set(questionnaire, columns)
  return columns
}

/** Finds a column by its name. An import ignores the categories of a text answer (`q1_cat_3`). */
function statisticsColumn(columns: ReadonlyMap<string, Column>, name: string): Column | undefined {
  const [, of] = /^(.+?)(?:_c\d*)?_cat_\d+$/.exec(name.toLowerCase()) ?? []
  return (
    columns.get(name.toLowerCase()) ?? (of !== undefined && columns.has(of) ? { kind: 'ignored', name } : undefined)
  )
}

function answerColumn(field: Field, index: number | undefined): Column {
  if (index === undefined) return { kind: 'answer', name: field.key, field }
  return { kind: field.type === 'ranking' ? 'choice' : 'tick', name: `${field.key}\\${index}`, field, index }
}

const metaColumn = (key: string): Column =>
  importedMetaKeys.has(key as ImportedMetaKey)
    ? { kind: 'meta', name: key as ImportedMetaKey }
    : { kind: 'ignored', name: key }

/** Returns the key in a header cell: `key`, `{key}` or `{key} title` (docs/specification.md 7.11). */
const nameIn = (cell: string): string => /^\{([^{}]+)\}(?: |$)/.exec(cell.trim())?.[1] ?? cell.trim()

/** Returns whether a header cell names a column of the survey, or a column that exports have. */
export const isHeading = (survey: NumberedSurvey, cell: string): boolean => {
  const name = nameIn(cell)
  const isColumn = columnOf(survey.questionnaire, name) ?? statisticsColumns(survey).get(name.toLowerCase())
  return name !== '' && isColumn !== undefined
}

function columnOf(q: Questionnaire, name: string): Column | undefined {
  const { field, choice } = targetOf(q, name) ?? {}
  if (field && choice === undefined) return { kind: 'answer', name: field.key, field }
  if (field && choice !== undefined) return { kind: 'choice', name: `${field.key}\\${choice}`, field, index: choice }
  if (importedMetaKeys.has(name as ImportedMetaKey)) return { kind: 'meta', name: name as ImportedMetaKey }
  return (
    rankColumn(q, name) ??
    removedColumn(q, name) ??
    categoryColumn(q, name) ??
    (IGNORED_NAMES.has(name) ? { kind: 'ignored', name } : undefined)
  )
}

/** Returns the column of a category of a text answer, which an import ignores. */
function categoryColumn(q: Questionnaire, name: string): Column | undefined {
  const [, key] = /^(.*)\\category_\d+$/.exec(name) ?? []
  return key !== undefined && q.byKey.has(key) ? { kind: 'ignored', name } : undefined
}

/** Returns the column of the removed choices. An import ignores those of a ranking, because their ranks are unknown. */
function removedColumn(q: Questionnaire, name: string): Column | undefined {
  const field = name.endsWith(REMOVED_SUFFIX) ? targetOf(q, name.slice(0, -REMOVED_SUFFIX.length))?.field : undefined
  if (!field) return undefined
  return field.type === 'multi' ? { kind: 'removed', name, field } : { kind: 'ignored', name }
}
const REMOVED_SUFFIX = '\\removed'

function rankColumn(q: Questionnaire, name: string): Column | undefined {
  const [, base, digits] = /^(.+)\\(\d{1,6})$/s.exec(name) ?? []
  const field = base === undefined ? undefined : targetOf(q, base)?.field
  const index = Number(digits)
  if (field?.type !== 'ranking' || !field.choices[index]) return undefined
  return { kind: 'choice', name: `${field.key}\\${index}`, field, index }
}

/** A parsed meta field, or an error. */
type ParsedMeta = Partial<ImportedMeta> | ValueError

const COMPLETIONS: ReadonlyMap<string, Completion> = new Map([
  ['0', 0],
  ['1', 1],
  ['2', 2],
  ['incomplete', 0],
  ['complete', 1],
  ['terminated', 2],
])

/** Maximum length of a text field. */
const MAX_TEXT_CHARACTERS = 2_000
const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
/** Largest value of the integer columns. */
const MAX_INTEGER = 2_147_483_647

const text =
  (member: 'username' | 'ipAddress' | 'getVariables' | 'referrer' | 'inviteEmail' | 'inviteName') =>
  (cell: string): ParsedMeta =>
    cell.length > MAX_TEXT_CHARACTERS ? valueError('too_long', { max: MAX_TEXT_CHARACTERS }) : { [member]: cell }

const integer =
  (member: 'locale' | 'completionTime') =>
  (cell: string): ParsedMeta =>
    /^\d{1,10}$/.test(cell) && Number(cell) <= MAX_INTEGER ? { [member]: Number(cell) } : valueError('not_an_integer')

/** Parsers of the meta fields that an import accepts, in the format of exports. Empty cells are ignored. */
const parsers = {
  _completed: (cell: string): ParsedMeta => {
    const completed = COMPLETIONS.get(cell.toLowerCase())
    return completed === undefined ? valueError('invalid_value', {}, detail('status_name')) : { completed }
  },
  _created_at: (cell: string): ParsedMeta => {
    const datetime = parseIsoDatetime(cell)
    if (!datetime || datetime.format === 'time')
      return valueError('invalid_datetime', { example: '2026-03-14T15:09:26' })
    return { createdAt: new Date(instantOf(cell)) }
  },
  _language: (cell: string): ParsedMeta =>
    LANGUAGE.test(cell) ? { language: cell } : valueError('invalid_format', {}, detail('simple_language_code')),
  // A collector of another survey, whose export is imported, becomes the default collector.
  _collector: (cell: string, { collectors }: SurveySnapshot): ParsedMeta =>
    /^\d{1,15}$/.test(cell)
      ? { collectorId: collectors.has(Number(cell)) ? Number(cell) : undefined }
      : valueError('unknown_collector'),
  _key: (cell: string): ParsedMeta =>
    /^[0-9a-f]{40}$/i.test(cell)
      ? { key: Buffer.from(cell, 'hex') }
      : valueError('invalid_format', {}, detail('key_format')),
  _locale: integer('locale'),
  _completion_time: integer('completionTime'),
  _pagepath: (cell: string): ParsedMeta =>
    /^\d{1,5}(?:,\d{1,5}){0,4999}$/.test(cell)
      ? { pagepath: cell }
      : valueError('invalid_format', {}, detail('page_numbers')),
  _username: text('username'),
  _ip_address: text('ipAddress'),
  _get_variables: text('getVariables'),
  _referrer: text('referrer'),
  _invite_email: text('inviteEmail'),
  _invite_name: text('inviteName'),
}

/** Names of the meta fields that an import accepts. */
type ImportedMetaKey = keyof typeof parsers

const importedMetaKeys: ReadonlySet<ImportedMetaKey> = new Set(Object.keys(parsers) as ImportedMetaKey[])

/** Parses a non-empty cell into a meta field or an error. */
export const parseMeta = (name: ImportedMetaKey, cell: string, snapshot: SurveySnapshot): ParsedMeta =>
  parsers[name](cell, snapshot)

/** What all rows of a table have in common. */
export interface RowContext {
  /** Time of the import, and of a response whose row has no `_created_at`. */
  now: Date
  /** What the cells of choices contain. */
  values: ChoiceValues | 'codes'
}
