import { answerFields, isList } from './answered.ts'
import { fileKeysOf } from './file-answer.ts'
import type { Answer, Answers, Field, LanguageText, Question, Questionnaire } from './questionnaire.ts'
import { choiceAt, isRemoved, positionOf } from './stored.ts'
import { evaluationOf } from './visibility.ts'
import { hasNotation, writeValue } from './write-answer.ts'

const textFor = (text: LanguageText, code: string): string =>
  Object.hasOwn(text, code) && typeof text[code] === 'string' ? text[code] : ''

/**
 * Returns a text in a language. Falls back to the base language (`fr` for `fr-CA`), then to the default language, then
 * to any language, then to ''.
 */
export function textIn(text: LanguageText, language: string, q: Questionnaire): string {
  return (
    textFor(text, language) ||
    textFor(text, language.split(/[-_]/, 1)[0]!) ||
    textFor(text, q.defaultLanguage) ||
    Object.values(text).find((translation) => translation !== '') ||
    ''
  )
}

/** Returns the display text of an answer: the labels of choices, separated by commas, or the value itself. */
export function labelOf(field: Field, value: Answer, language: string, q: Questionnaire): string {
  if (isList(value)) return value.map((index) => choiceLabel(field, index, language, q)).join(', ')
  if (typeof value === 'boolean') return choiceLabel(field, value ? 0 : 1, language, q)
  if (typeof value === 'number' && field.type !== 'decimal') return choiceLabel(field, value, language, q)
  // The key of a file means nothing to a person.
  if (field.type === 'file' && fileKeysOf(value).length > 0) return ''
  return String(value)
}

function choiceLabel(field: Field, index: number, language: string, q: Questionnaire): string {
  if (isRemoved(index)) {
    const removed = field.removed.find(({ uid }) => positionOf(field, uid) === index)
    return removed ? textIn(removed.label, language, q) : ''
  }
  const choice = choiceAt(field, index)
  return (choice && textIn(choice.label, language, q)) || String(index)
}

/** The values that {@link pipe} inserts. */
export interface PipeContext {
  q: Questionnaire
  answers: Answers
  language: string
  /** Fields of the contact by name. */
  invite?: Readonly<Record<string, string>>
  /** Encodes an inserted value, for URLs. */
  encode?(text: string): string
  /** Returns the text that replaces a placeholder with neither a value nor a default; absent: an empty text. */
  missing?(name: string): string
  /** Cache of inserted values by the content of their placeholders. */
  renderedValues?: Map<string, string>
  /** Cache of the values of questions by name, because placeholders for one question can have different defaults. */
  values?: Map<string, string>
}

/** Maximum number of placeholders that are replaced in a text. Further placeholders are removed. */
export const MAX_PLACEHOLDERS = 20
/** Maximum number of characters of an inserted answer. */
const MAX_INSERTED_CHARACTERS = 200

/**
 * Replaces the placeholders of a text: `{{ question }}` (an id, an identifier or a response key) with its answer and
 * `{{ invite.<field> }}` with the field of the contact. If there is no value, inserts the default of `{{ question |
 * default: "text" }}`, otherwise the result of `missing`. Truncates long answers. The result is plain text, which the
 * page escapes. Placeholders in answers are not replaced.
 */
export function pipe(text: string, context: PipeContext): string {
  if (!text.includes('{{')) return text
  let count = 0
  return text.replace(PLACEHOLDER, (_, content: string) => {
    count++
    return count > MAX_PLACEHOLDERS ? '' : renderPlaceholder(content.trim(), context)
  })
}

function renderPlaceholder(content: string, context: PipeContext): string {
  const cached = context.renderedValues?.get(content)
  if (cached !== undefined) return cached
  const { name, fallback } = parsePlaceholder(content)
  const value = insertedValue(name, context)
  const text = value || (fallback ?? context.missing?.(name) ?? '')
  const rendered = context.encode ? context.encode(text) : text
  context.renderedValues?.set(content, rendered)
  return rendered
}

function insertedValue(name: string, context: PipeContext): string {
  const cached = context.values?.get(name)
  if (cached !== undefined) return cached
  const value = truncate(valueFor(name, context), MAX_INSERTED_CHARACTERS)
  context.values?.set(name, value)
  return value
}

/** Parses the content of the double braces: a name and an optional default. */
function parsePlaceholder(content: string): { name: string; fallback?: string } {
  const [, name, double, single, curly] = WITH_DEFAULT.exec(content) ?? []
  const fallback = double ?? single ?? curly
  return fallback === undefined ? { name: content } : { name: name!.trim(), fallback }
}

/** The `default` filter of Liquid templates. Word processors replace the quotes with curly ones. */
const WITH_DEFAULT = /^([^|]*)\|\s*default\s*:\s*(?:"([^"]*)"|'([^']*)'|[“„«]([^”“»]*)[”“»])$/

/** Returns the names of the placeholders without a default. */
export const namesWithoutDefault = (text: string): string[] =>
  text.includes('{{')
    ? [...text.matchAll(PLACEHOLDER)]
        .map(([, content = '']) => parsePlaceholder(content.trim()))
        .flatMap(({ name, fallback }) => (fallback === undefined ? [name] : []))
    : []

/** Returns the number of placeholders in a text. */
export const countPlaceholders = (text: string): number =>
  text.includes('{{') ? [...text.matchAll(PLACEHOLDER)].length : 0

const PLACEHOLDER = /\{\{([^{}]{1,300})\}\}/g
/** Maximum length of the label of a placeholder. */
const MAX_LABEL_CHARACTERS = 40

/**
 * Replaces the placeholders of a text with labels in angle quotes: the title of the question, otherwise the name in the
 * placeholder. Used if there is no response: `Why {{ bread }}?` becomes `Why ‹Which bread do you eat?›?`.
 */
export function renderPlaceholders(text: string, { q, language }: Pick<PipeContext, 'q' | 'language'>): string {
  return mapPlaceholders(text, (name) => placeholderLabel(name, q, language))
}

/**
 * Returns the label in angle quotes that replaces a placeholder without a value: the title of the question, otherwise
 * the name in the placeholder.
 */
export const placeholderText = (name: string, q: Questionnaire, language: string): string =>
  inAngleQuotes(placeholderLabel(name, q, language))

const inAngleQuotes = (label: string): string => `‹${truncate(label, MAX_LABEL_CHARACTERS)}›`

/**
 * Replaces the placeholders of a text with labels in angle quotes.
 * @param labelOf returns the label, without quotes, for the name of a placeholder
 */
export const mapPlaceholders = (text: string, labelOf: (name: string) => string): string =>
  text.includes('{{')
    ? text.replace(PLACEHOLDER, (_, content: string) => inAngleQuotes(labelOf(parsePlaceholder(content.trim()).name)))
    : text

/**
 * Replaces the names in the placeholders of a text.
 * @param nameOf returns the new name; undefined replaces the whole placeholder by its default, or else by nothing
 */
export const replacePlaceholders = (text: string, nameOf: (name: string) => string | undefined): string =>
  text.includes('{{')
    ? text.replace(PLACEHOLDER, (whole, content: string) => {
        const { name, fallback } = parsePlaceholder(content.trim())
        const after = nameOf(name)
        if (after === undefined) return fallback ?? ''
        return after === name ? whole : whole.replace(name, () => after)
      })
    : text

/** Returns the question that a placeholder names by response key, ID or identifier. */
export const questionNamed = (name: string, q: Questionnaire): Question | undefined =>
  q.byKey.get(name)?.question ?? q.byId.get(name) ?? q.byIdentifier.get(name)

function placeholderLabel(name: string, q: Questionnaire, language: string): string {
  const field = q.byKey.get(name)
  const question = questionNamed(name, q)
  // The title of the question can contain placeholders itself.
  const plain = (text: LanguageText) => textIn(text, language, q).replace(PLACEHOLDER, '…').trim()
  if (question) return (field?.row && plain(field.row.label)) || plain(question.title) || name
  return name.startsWith('invite.') ? name.slice('invite.'.length).trim() : name
}

const truncate = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : `${text
        .slice(0, characters - 1)
        .trimEnd()
        .toWellFormed()}…`

function valueFor(name: string, context: PipeContext): string {
  const { q, invite } = context
  const field = q.byKey.get(name)
  if (field) return pathAnswerText(field, context)
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  if (question) {
    const fields = answerFields(question)
    return joinTexts(fields, (each) => pathAnswerText(each, context))
  }
  const member = name.startsWith('invite.') ? name.slice('invite.'.length).trim() : undefined
  return member !== undefined && invite && Object.hasOwn(invite, member) ? invite[member]! : ''
}

/**
 * Returns the display text of an answer; an empty text if its question is not on the path. The text of an “other” choice
 * replaces its label. In a URL, which programs read, numbers and times are in normal form.
 */
function pathAnswerText(field: Field, { q, answers, language, encode }: PipeContext): string {
  const evaluation = evaluationOf(q, answers)
  const value = evaluation.answerTo(field.question, field.key)
  if (value === undefined) return ''
  const other = evaluation.answerTo(field.question, `${field.key}\\other`)
  const values: readonly Answer[] = isList(value) ? value : [value]
  return joinTexts(values, (item) =>
    typeof item === 'number' && field.choices[item]?.other && other
      ? String(other)
      : !encode && hasNotation(field, item)
        ? writeValue(field, item, language)
        : labelOf(field, item, language, q),
  )
}

/**
 * Joins the texts of items with commas. Empty texts are left out. Once the result exceeds the maximum length of an
 * inserted answer, no more items are added.
 */
function joinTexts<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = ''
  for (const item of items) {
    if (text.length > MAX_INSERTED_CHARACTERS) break
    const next = textOf(item).slice(0, MAX_INSERTED_CHARACTERS + 1)
    if (next) text += text ? `, ${next}` : next
  }
  return text
}
