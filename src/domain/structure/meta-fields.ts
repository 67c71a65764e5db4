import type { Field, Questionnaire } from './questionnaire.ts'
import { textIn } from './text.ts'

/** All properties of a response other than answers, with their columns. */
const FIELDS = [
  { key: '_completed', column: 'completed', type: 'state', label: 'Status', exported: true },
  {
    key: '_id',
    column: 'id',
    type: 'integer',
    label: 'Response number',
    pageLabel: 'Response ID',
    exported: true,
  },
  { key: '_updated_at', column: 'updated_at', type: 'time', label: 'Updated', exported: true },
  { key: '_created_at', column: 'created_at', type: 'time', label: 'Started', exported: true },
  { key: '_language', column: 'language', type: 'text', label: 'Language', exported: true, optional: true },
  { key: '_ip_address', column: 'ip_address', type: 'text', label: 'IP address', exported: true, personal: true },
  { key: '_locale', column: 'locale', type: 'integer', label: 'Locale', exported: true, optional: true },
  { key: '_username', column: 'username', type: 'text', label: 'Username', exported: true, personal: true },
  {
    key: '_get_variables',
    column: 'get_variables',
    type: 'text',
    label: 'URL parameters',
    exported: true,
    personal: true,
  },
  { key: '_referrer', column: 'referrer', type: 'text', label: 'Referrer', exported: true, personal: true },
  {
    key: '_saves',
    column: 'saves',
    type: 'integer',
    label: 'Times saved',
    pageLabel: 'Number of saves',
    exported: true,
  },
  { key: '_weighted_score', column: 'weighted_score', type: 'float', label: 'Score', exported: true, optional: true },
  {
    key: '_completion_time',
    column: 'completion_time',
    type: 'integer',
    label: 'Duration (seconds)',
    exported: true,
    optional: true,
  },
  { key: '_invite_code', column: 'invite_code', type: 'text', label: 'Invite code', exported: true, personal: true },
  {
    key: '_invite_email',
    column: 'invite_email',
    type: 'text',
    label: 'Invite email',
    pageLabel: 'Email address of the invited person',
    exported: true,
    personal: true,
  },
  {
    key: '_invite_name',
    column: 'invite_name',
    type: 'text',
    label: 'Invite name',
    pageLabel: 'Name of the invited person',
    exported: true,
    personal: true,
  },
  { key: '_collector', column: 'collector_id', type: 'collector', label: 'Collector', exported: true },
  { key: '_key', column: 'key', type: 'key', label: 'Key of the response' },
  { key: '_response_number', column: 'number', type: 'integer', label: 'Response number' },
  { key: '_pagepath', column: 'pagepath', type: 'text', label: 'Pages viewed', optional: true },
] as const

type Entry = (typeof FIELDS)[number]
type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>

/** Names of meta fields in filters, exports and representations of responses. */
export type MetaKey = Entry['key']
export type MetaType = Entry['type']
/** Columns of the table of responses, by the type of their meta field. */
export type MetaNumberColumn = EntryOf<'state' | 'integer' | 'float' | 'collector'>['column']
export type MetaTimeColumn = EntryOf<'time'>['column']
export type MetaTextColumn = EntryOf<'text'>['column']
export type PersonalColumn = Extract<Entry, { personal: true }>['column']

interface Properties<Type extends MetaType> {
  key: MetaKey
  type: Type
  /** Column of the table of responses. */
  column: EntryOf<Type>['column']
  /** In the variables of API version 2, and on pages if there is no `pageLabel`. */
  label: string
  pageLabel?: string
  /** Identifies the respondent; neither stored nor shown for anonymous responses. */
  personal?: boolean
  /** Can be empty. */
  optional?: boolean
  /** Whether the field is a column of every CSV export and a variable of API version 2. */
  exported?: boolean
}

/** A property of a response other than an answer. */
export type MetaField = { [Type in MetaType]: Properties<Type> }[MetaType]

/**
 * All meta fields. The exported ones are the first columns of every export, in this order (docs/specification.md 7.11).
 */
export const metaFields: readonly MetaField[] = FIELDS

/** The weight of a response, which follows from its answers. Files for statistics programs have it if the survey has weights. */
export const WEIGHT_FIELD = { key: '_weight', column: 'weight', type: 'float', label: 'Weight' } as const
/** A property of a response in a file for statistics programs. */
export type VariableMeta = MetaField | typeof WEIGHT_FIELD

/** Meta fields by key. */
export const metaFieldByKey: ReadonlyMap<string, MetaField> = new Map(metaFields.map((field) => [field.key, field]))

/** Returns the label of a meta field on pages. */
export function metaLabel(key: MetaKey): string {
  const { label, pageLabel = label } = metaFieldByKey.get(key)!
  return pageLabel
}

/** Columns that identify the respondent. */
export const personalColumns = new Set(
  metaFields.flatMap(({ personal, column }) => (personal ? [column as PersonalColumn] : [])),
) as ReadonlySet<string>

/** Labels of the stored states 0, 1 and 2 of a response in exports and in the variables of API version 2. */
export const STATE_LABELS = ['Incomplete', 'Complete', 'Terminated'] as const

/** Names of the same states on pages. */
export const STATE_NAMES = ['Incomplete', 'Complete', 'Screened out'] as const

/** Names that a question cannot have, because responses have members with these names. */
export const reservedKeys: ReadonlySet<string> = new Set([...metaFieldByKey.keys(), 'response_uri', '__proto__'])

interface Variable {
  type: string
  label: string
  choices?: string[]
}

const VARIABLE_TYPES: Readonly<Record<MetaType, string>> = {
  state: 'single',
  integer: 'number',
  float: 'number',
  time: 'datetime',
  text: 'string',
  collector: 'string',
  key: 'string',
}

/** Types of variables that differ from the type of the field. */
const VARIABLE_TYPE_OF: { readonly [Type in Field['type']]?: string } = { other: 'string', decimal: 'number' }

/**
 * Returns the variables of a response by key: the exported meta fields, then every response key with its title and the
 * labels of its choices in order.
 */
export function variablesOf(q: Questionnaire, language: string): Record<string, Variable> {
  const meta = metaFields
    .filter(({ exported }) => exported)
    .map(({ key, type, label }): [string, Variable] => [
      key,
      { type: VARIABLE_TYPES[type], label, ...(type === 'state' && { choices: [...STATE_LABELS] }) },
    ])
  return Object.fromEntries([...meta, ...q.fields.map((field) => [field.key, variableOf(field, q, language)] as const)])
}

function variableOf(field: Field, q: Questionnaire, language: string): Variable {
  const type = VARIABLE_TYPE_OF[field.type] ?? field.type
  const label = fieldTitle(field, q, language)
  // Net-promoter answers and ratings are numbers, which need no labels.
  if (field.choices.length === 0 || field.type === 'number') return { type, label }
  return { type, label, choices: field.choices.map((choice) => textIn(choice.label, language, q)) }
}

/**
 * Returns the title of a response key: the title of its question, followed by the row of a grid, “(other)” or the part
 * of its answer.
 */
function fieldTitle(field: Field, q: Questionnaire, language: string): string {
  const title = textIn(field.question.title, language, q)
  if (field.part || field.type === 'other') return `${title} (${field.part ?? 'other'})`
  const row = field.row ? textIn(field.row.label, language, q) : ''
  return row ? `${title} [${row}]`.trim() : title
}
