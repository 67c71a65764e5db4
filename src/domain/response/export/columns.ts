import { problems } from '../../problem.ts'
import { codeAt } from '../../structure/choices.ts'
import { type PartWord, partWord } from '../../structure/language-text.ts'
import { anyChoiceIndex, parseAnswer } from '../../structure/parse-answer.ts'
import type {
  Answer,
  Choice,
  Field,
  FieldType,
  LanguageText,
  Question,
  Questionnaire,
} from '../../structure/questionnaire.ts'
import { labelOf, renderPlaceholders, textIn } from '../../structure/text.ts'

/** The words for metadata in the language of a page. */
export interface MetaWords {
  /** Translates the label of a meta field. */
  label(text: string): string
  /** The names of the states of a response. */
  states?: readonly string[]
}

/** The formats of a file; each is the end of its name. Programs for statistics read those with types. */
export const exportFormats = ['csv', 'jsonl', 'sav', 'dta', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]
export type DataFormat = Exclude<ExportFormat, 'csv' | 'jsonl'>

/** The options of an export, from the query parameters of docs/specification.md 7.10. */
export interface ExportOptions {
  /** Cells of choices contain the label instead of the index. */
  labels: boolean
  /** Cells of choices contain the score. Takes precedence over `labels`. */
  scores: boolean
  /** Cells of choices contain the code, or without one the position from 1. Takes precedence over `labels`. */
  codes: boolean
  /**
   * A file with labels that an import could read as positions ends with the empty column `_labels`. Version 2 of the API
   * never has this column.
   */
  marksLabels: boolean
  /**
   * The file is for statistics programs (statistics/). Of the other options, only the language, the selection and
   * `withKey` apply.
   */
  statistics: boolean
  /** A format with types has the variables of the file for statistics programs. */
  format: ExportFormat
  /** Header cells contain the response key in braces: `{key}`. */
  keysInHeader: boolean
  /** Header cells contain the title of the question; with `keysInHeader`, they contain `{key} title`. */
  titles: boolean
  /**
   * The file is for people: in titles, placeholders are replaced with the titles of their questions, and the names of
   * parts of answers, such as `other`, are in the language of the export. The API has always written placeholders as
   * they are in the structure, and these names in English.
   */
  titlesForPeople: boolean
  /** One line per answer instead of one per response. */
  inverted: boolean
  /** Line breaks inside a cell become the two characters `\n`. */
  escapeNewline: boolean
  /** HTML tags are removed from answers. */
  stripHtml: boolean
  /** Cells that a spreadsheet program would evaluate as a formula are prefixed with an apostrophe. */
  formulaGuard: boolean
  /** UTF-16LE with a byte order mark, tabs, and quotes around every field: the format that Excel opens directly. */
  tabSeparated: boolean
  /** The file starts with a UTF-8 byte order mark. */
  bom: boolean
  /** Columns appended to each line. */
  withKey: boolean
  withUrl: boolean
  withLink: boolean
  /** Each text answer is followed by a column for each category: 1 if the answer is in it, else 0. */
  withCategories: boolean
  /** The first column is the number of the response on pages. */
  withNumber: boolean
  /** Whether a file for statistics programs has the weight of each response; absent: if the survey has weights. */
  withWeight?: boolean | undefined
  /** The time zone of the times of the response; absent: UTC. PostgreSQL must know it. */
  timeZone?: string | undefined
  /** The words for metadata in the codebook and in a system file of SPSS; absent: in English. */
  words?: MetaWords | undefined
  /** The words for the states 0, 1 and 2 of a response; absent: in English, as the API writes them. */
  states?: readonly string[] | undefined
  /** In JSON, the GET variables are an object instead of a query string. */
  expandGet: boolean
  /** Language of titles and labels; undefined: the default language, which is also used for missing translations. */
  language: string | undefined
  /** Question ids, identifiers or response keys of the exported question columns; undefined: all. */
  include: readonly string[] | undefined
  /** Ids of the exported responses; undefined: all. */
  ids: readonly number[] | undefined
  /** Numbers of the exported responses on pages; undefined: all. */
  numbers: readonly number[] | undefined
}

export const DEFAULT_EXPORT_OPTIONS: Readonly<ExportOptions> = Object.freeze({
  labels: false,
  scores: false,
  codes: false,
  marksLabels: false,
  statistics: false,
  format: 'csv',
  keysInHeader: false,
  titles: false,
  titlesForPeople: false,
  inverted: false,
  escapeNewline: false,
  stripHtml: false,
  formulaGuard: false,
  tabSeparated: false,
  bom: false,
  withKey: false,
  withUrl: false,
  withLink: false,
  withCategories: false,
  withNumber: false,
  expandGet: false,
  language: undefined,
  include: undefined,
  ids: undefined,
  numbers: undefined,
})

/**
 * A question column. Multiple-choice and ranking questions have one column per choice; grids have one column per row.
 */
export interface ExportColumn {
  /**
   * Response key, followed by `\<index>` for the column of a choice or `\removed` for the column of removed choices.
   */
  key: string
  /**
   * Title of the question. If the column contains only a part of the answer, a dash and the name of the part follow:
   * the row, the choice, "other" or "removed choices".
   */
  title: string
  field: Field
  /** Choice of the column; absent if the column contains the whole answer or the removed choices. */
  choice?: Choice
  /** Whether the column contains the labels of removed choices. */
  removed?: true
}

/** What the cells of a column contain: `time` is a time of the service in UTC, `date` a date or time of a respondent. */
export type CellKind = 'number' | 'time' | 'date' | 'boolean' | 'text'

/** Types of fields whose answers are numbers or ranks. */
const NUMBER_TYPES: ReadonlySet<FieldType> = new Set(['number', 'decimal', 'ranking'])
/** Types of fields whose cells contain the index or the score of a choice, unless labels are exported. */
const CHOICE_TYPES: ReadonlySet<FieldType> = new Set(['single', 'multi', 'boolean'])

/**
 * Returns the kind of the cells of a question column. A column can also contain texts, such as answers that were stored
 * when the question had another type.
 */
export function kindOf({ field: { type } }: ExportColumn, { labels, scores, codes }: ExportOptions): CellKind {
  if (type === 'datetime') return 'date'
  if (type === 'boolean' && !scores && !codes && !labels) return 'boolean'
  return NUMBER_TYPES.has(type) || (CHOICE_TYPES.has(type) && (scores || codes || !labels)) ? 'number' : 'text'
}

/**
 * Returns the question columns of an export, in the order of the structure.
 * @throws {Problem} `invalid_request` if `include` contains an unknown question, or the survey does not have the
 *   `language`
 */
export function planColumns(q: Questionnaire, options: ExportOptions): ExportColumn[] {
  const { fields, language } = selectedFields(q, options)
  return fields.flatMap((field) => columnsOf(field, language, q, options))
}

/**
 * Returns the fields and the language of an export.
 * @throws {Problem} as {@link planColumns}
 */
export function selectedFields(
  q: Questionnaire,
  { include, language = q.defaultLanguage }: Pick<ExportOptions, 'include' | 'language'>,
): { fields: readonly Field[]; language: string } {
  const keys = include && includedKeys(q, include)
  if (!hasLanguage(q, language)) throw problems.invalidField('language', 'unknown_language', { value: language })
  return { fields: q.fields.filter(({ key, category }) => !keys || keys.has(category?.of.key ?? key)), language }
}

/**
 * Returns whether a survey has a language: in its list of languages, or as the language of a text. `pt-BR` matches `pt`
 * and vice versa.
 */
function hasLanguage(q: Questionnaire, code: string): boolean {
  const base = baseOf(code)
  if ([q.defaultLanguage, ...q.languages.map((language) => language.code)].map(baseOf).includes(base)) return true
  const texts = [q.title, ...q.questions.flatMap(({ title, choices }) => [title, ...choices.map(({ label }) => label)])]
  return texts.some((text) => Object.keys(text).map(baseOf).includes(base))
}

const baseOf = (tag: string) => tag.split(/[-_]/, 1)[0]!.toLowerCase()

function includedKeys(q: Questionnaire, include: readonly string[]): Set<string> {
  const keys = new Set<string>()
  for (const name of include) {
    const question: Question | undefined = q.byId.get(name) ?? q.byIdentifier.get(name)
    if (question) for (const { key } of question.fields) keys.add(key)
    else if (q.byKey.has(name)) keys.add(name)
    else throw problems.invalidField('include', 'unknown_question', { value: name })
  }
  return keys
}

function columnsOf(field: Field, language: string, q: Questionnaire, options: ExportOptions): ExportColumn[] {
  const word = (part: PartWord) => partWord(part, options.titlesForPeople ? language : 'en')
  const say = (text: LanguageText) => {
    const own = textIn(text, language, q)
    return options.titlesForPeople ? renderPlaceholders(own, { q, language }) : own
  }
  const title = titleOf(field, say, word)
  if (field.type !== 'multi' && field.type !== 'ranking') return [{ key: field.key, title, field }]
  const columns = field.choices.map((choice) => ({
    key: `${field.key}\\${choice.index}`,
    title: joinTitle(title, say(choice.label)),
    field,
    choice,
  }))
  if (field.removed.length === 0 || !showsRemoved(options)) return columns
  return [
    ...columns,
    { key: `${field.key}\\removed`, title: joinTitle(title, word('removed choices')), field, removed: true },
  ]
}

function titleOf(field: Field, say: (text: LanguageText) => string, word: (part: PartWord) => string): string {
  const title = say(field.question.title)
  if (field.row) return joinTitle(title, say(field.row.label))
  if (field.category) return joinTitle(titleOf(field.category.of, say, word), say(field.category.name))
  if (field.part) return joinTitle(title, word(field.part))
  if (field.type !== 'other') return title
  const other = field.question.choices.find((choice) => choice.other)
  return joinTitle(title, (other && say(other.label)) || word('other'))
}

const joinTitle = (title: string, part: string): string => (title && part ? `${title} - ${part}` : title || part)

/** Returns the header cell of a question: the key, `{key}`, the title or `{key} title` (docs/specification.md 7.11). */
export function headerOf({ key, title }: ExportColumn, { keysInHeader, titles }: ExportOptions): string {
  if (keysInHeader) return titles ? `{${key}} ${title}` : `{${key}}`
  return titles ? title : key
}

/** Returns the cell of a selected choice: its index, code, label or score. */
export function choiceText(field: Field, choice: Choice, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(choice.score)
  if (options.codes) return codeAt(field, choice.index)
  return options.labels ? labelOf(field, choice.index, options.language ?? q.defaultLanguage, q) : String(choice.index)
}

/**
 * Returns the cell of a choice, a number or a boolean. A number that does not identify any choice is written as it was
 * stored. If scores are exported and the field has choices, the cell of such a number is empty.
 */
export function valueText(field: Field, value: Answer, options: ExportOptions, q: Questionnaire): string {
  if (typeof value === 'boolean') return booleanText(field, value, options, q)
  const choice = field.choices.find(({ index }) => index === value)
  if (choice) return choiceText(field, choice, options, q)
  return options.scores && field.choices.length > 0 ? '' : String(value)
}

/**
 * Returns the cell of a boolean: the label, code or score of the first choice for yes and of the second choice for no.
 * Otherwise, returns `true` or `false`.
 */
function booleanText(field: Field, value: boolean, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(field.choices[value ? 0 : 1]?.score ?? '')
  if (options.codes) return codeAt(field, value ? 0 : 1)
  return options.labels ? labelOf(field, value, options.language ?? q.defaultLanguage, q) : String(value)
}

/**
 * Returns whether removed choices are exported. They are exported only with labels or codes, because they have neither a
 * position nor a score.
 */
export const showsRemoved = ({ labels, scores, codes }: ExportOptions): boolean => (labels || codes) && !scores

/** Reports whether an import of an export could read a label as the position of another choice. */
export function needsMark(q: Questionnaire, options: ExportOptions): boolean {
  const { labels, scores, codes, titles, keysInHeader, language = q.defaultLanguage } = options
  const isImportable = !titles || keysInHeader
  return labels && !scores && !codes && isImportable && q.fields.some((field) => hasLabelOfAnother(field, language, q))
}

function hasLabelOfAnother(field: Field, language: string, q: Questionnaire): boolean {
  if (field.type !== 'single' && field.type !== 'multi' && field.type !== 'boolean') return false
  return field.choices.some(({ index, label }) => {
    const parsed = parseAnswer(field, textIn(label, language, q), { lookup: anyChoiceIndex, values: 'auto' })
    if ('error' in parsed) return parsed.error.code === 'ambiguous_choice'
    const read = [parsed.value].flat()[0]
    return read !== undefined && read !== (field.type === 'boolean' ? index === 0 : index)
  })
}
