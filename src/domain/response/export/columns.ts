import { problems } from '../../problem.ts'
import type { Answer, Choice, Field, Question, Questionnaire } from '../../structure/questionnaire.ts'
import { labelOf, textIn } from '../../structure/text.ts'
import { showsRemoved } from './moved.ts'
import type { ExportOptions } from './options.ts'

/** One question column. A multiple choice and a ranking have one for each choice, a grid one for each row. */
export interface ExportColumn {
  /** Response key, for the column of a choice with `\<index>` behind it. */
  key: string
  /** Title of the question, with the row, choice or "other" it is about behind a dash. */
  title: string
  field: Field
  /** The choice whose column this is; absent where the column holds the whole answer. */
  choice?: Choice
  /** It holds the labels of what was chosen and is no longer offered. */
  removed?: true
}

/**
 * The question columns of an export in structure order.
 * @throws {Problem} `invalid_request` when `include` names something the survey does not ask, or `language` one it is not in
 */
export function planColumns(q: Questionnaire, options: ExportOptions): ExportColumn[] {
  const { include, language } = options
  const wanted = include && includedKeys(q, include)
  const code = language ?? q.defaultLanguage
  if (!speaks(q, code)) throw problems.invalidField('language', 'unknown_language', { value: code })
  return q.questions
    .flatMap((question) => question.fields)
    .filter(({ key }) => !wanted || wanted.has(key))
    .flatMap((field) => columnsOf(field, code, q, options))
}

/**
 * Whether a survey is in a language: it says so, or some of it is written in it. A variety counts as its language,
 * `pt-BR` as `pt`, and the other way round.
 */
function speaks(q: Questionnaire, code: string): boolean {
  const wanted = baseOf(code)
  if ([q.defaultLanguage, ...q.languages.map((language) => language.code)].map(baseOf).includes(wanted)) return true
  const texts = [q.title, ...q.questions.flatMap(({ title, choices }) => [title, ...choices.map(({ label }) => label)])]
  return texts.some((text) => Object.keys(text).map(baseOf).includes(wanted))
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
  const title = titleOf(field, language, q)
  if (field.type !== 'multi' && field.type !== 'ranking') return [{ key: field.key, title, field }]
  const columns = field.choices.map((choice) => ({
    key: `${field.key}\\${choice.index}`,
    title: joined(title, textIn(choice.label, language, q)),
    field,
    choice,
  }))
  if (field.removed.length === 0 || !showsRemoved(options)) return columns
  return [...columns, { key: `${field.key}\\removed`, title: joined(title, 'removed choices'), field, removed: true }]
}

function titleOf(field: Field, language: string, q: Questionnaire): string {
  const title = textIn(field.question.title, language, q)
  if (field.row) return joined(title, textIn(field.row.label, language, q))
  if (field.type !== 'other') return title
  const other = field.question.choices.find((choice) => choice.other)
  return joined(title, (other && textIn(other.label, language, q)) || 'other')
}

const joined = (title: string, part: string): string => (title && part ? `${title} - ${part}` : title || part)

/** Returns the header cell of a question: the key, `{key}`, the title or `{key} title` (docs/specification.md 7.11). */
export function headerOf({ key, title }: ExportColumn, { keysInHeader, titles }: ExportOptions): string {
  if (keysInHeader) return titles ? `{${key}} ${title}` : `{${key}}`
  return titles ? title : key
}

/** What a cell shows when this choice was chosen: its index, its label or its score. */
export function choiceText(field: Field, choice: Choice, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(choice.score)
  return options.labels ? labelOf(field, choice.index, options.language ?? q.defaultLanguage, q) : String(choice.index)
}

/**
 * What a cell shows for one stored value of a field that is answered by one choice, a number or yes and no.
 * A number that is no choice (any more) shows as it is stored, and scores nothing.
 */
export function valueText(field: Field, value: Answer, options: ExportOptions, q: Questionnaire): string {
  if (typeof value === 'boolean') return booleanText(field, value, options, q)
  const choice = field.choices.find(({ index }) => index === value)
  if (choice) return choiceText(field, choice, options, q)
  return options.scores && field.choices.length > 0 ? '' : String(value)
}

/** Yes is the first choice, no the second. Without labels or scores the stored `true` or `false` shows. */
function booleanText(field: Field, value: boolean, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(field.choices[value ? 0 : 1]?.score ?? '')
  return options.labels ? labelOf(field, value, options.language ?? q.defaultLanguage, q) : String(value)
}
