import { problems } from '../../problem.ts'
import type { Answer, Choice, Field, Question, Questionnaire } from '../../structure/questionnaire.ts'
import { labelOf, textIn } from '../../structure/text.ts'
import type { ExportOptions } from './options.ts'
import { showsRemoved } from './renumbered.ts'

/** A question column. A multiple choice and a ranking have one per choice, a grid one per row. */
export interface ExportColumn {
  /** Response key, followed by `\<index>` for the column of a choice. */
  key: string
  /** Title of the question, followed by a dash and the row, choice or "other". */
  title: string
  field: Field
  /** Choice of the column; absent if the column has the whole answer. */
  choice?: Choice
  /** The column has the labels of removed choices. */
  removed?: true
}

/**
 * Returns the question columns of an export, in the order of the structure.
 * @throws {Problem} `invalid_request` when `include` names something the survey does not ask, or `language` one it is not in
 */
export function planColumns(q: Questionnaire, options: ExportOptions): ExportColumn[] {
  const { include, language } = options
  const wanted = include && includedKeys(q, include)
  const code = language ?? q.defaultLanguage
  if (!hasLanguage(q, code)) throw problems.invalidField('language', 'unknown_language', { value: code })
  return q.questions
    .flatMap((question) => question.fields)
    .filter(({ key }) => !wanted || wanted.has(key))
    .flatMap((field) => columnsOf(field, code, q, options))
}

/**
 * Returns whether a survey has a language: among its languages or in some text. `pt-BR` matches `pt` and vice versa.
 */
function hasLanguage(q: Questionnaire, code: string): boolean {
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

/** Returns the cell of a chosen choice: its index, label or score. */
export function choiceText(field: Field, choice: Choice, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(choice.score)
  return options.labels ? labelOf(field, choice.index, options.language ?? q.defaultLanguage, q) : String(choice.index)
}

/**
 * Returns the cell of a single stored value: a choice, a number or a boolean. A number without a choice is shown as
 * stored and has no score.
 */
export function valueText(field: Field, value: Answer, options: ExportOptions, q: Questionnaire): string {
  if (typeof value === 'boolean') return booleanText(field, value, options, q)
  const choice = field.choices.find(({ index }) => index === value)
  if (choice) return choiceText(field, choice, options, q)
  return options.scores && field.choices.length > 0 ? '' : String(value)
}

/** Returns the cell of a boolean: yes is the first choice, no the second; `true` or `false` without labels and scores. */
function booleanText(field: Field, value: boolean, options: ExportOptions, q: Questionnaire): string {
  if (options.scores) return String(field.choices[value ? 0 : 1]?.score ?? '')
  return options.labels ? labelOf(field, value, options.language ?? q.defaultLanguage, q) : String(value)
}
