import { answerTo, isList } from './answered.ts'
import type { Answer, Answers, Field, LanguageText, Questionnaire } from './questionnaire.ts'
import { isRemoved, positionOf } from './stored.ts'

const own = (text: LanguageText, code: string): string =>
  Object.hasOwn(text, code) && typeof text[code] === 'string' ? text[code] : ''

/**
 * Returns a text in a language: exactly this one, else its base (`fr` for `fr-CA`), else the default language, else any,
 * else ''.
 */
export function textIn(text: LanguageText, language: string, q: Questionnaire): string {
  return (
    own(text, language) ||
    own(text, language.split(/[-_]/, 1)[0]!) ||
    own(text, q.defaultLanguage) ||
    Object.values(text).find((any) => any !== '') ||
    ''
  )
}

/** Returns the display text of an answer: the label of a choice, several labels joined by ", ", other values unchanged. */
export function labelOf(field: Field, value: Answer, language: string, q: Questionnaire): string {
  if (isList(value)) return value.map((index) => choiceLabel(field, index, language, q)).join(', ')
  if (typeof value === 'boolean') return choiceLabel(field, value ? 0 : 1, language, q)
  if (typeof value === 'number') return choiceLabel(field, value, language, q)
  return String(value)
}

function choiceLabel(field: Field, index: number, language: string, q: Questionnaire): string {
  if (isRemoved(index)) {
    const removed = field.removed.find(({ uid }) => positionOf(field, uid) === index)
    return removed ? textIn(removed.label, language, q) : ''
  }
  const choice = field.choices[index]
  return (choice && textIn(choice.label, language, q)) || String(index)
}

/** The values available to piping; `invite` holds the fields of the contact by name. */
export interface PipeContext {
  q: Questionnaire
  answers: Answers
  language: string
  invite?: Readonly<Record<string, string>>
  /** Encodes an inserted value, for URLs. */
  encode?(text: string): string
  /** Cache of the inserted values of this page by name. */
  filled?: Map<string, string>
}

/** Maximum number of placeholders replaced in one text; the rest are removed. */
export const MAX_PIPED_PLACES = 20
/** Maximum number of characters of an inserted answer. */
const MAX_PIPED_CHARACTERS = 200

/**
 * Replaces `{{ question }}` (an id, an identifier or a response key) with its answer and `{{ invite.<field> }}` with the
 * field of the contact. An unknown or unanswered name is replaced with the default of `{{ question | default: "text"
 * }}`, else with nothing. A long answer is cut. The result is plain text, which the page escapes. Inserted answers are
 * never read as templates.
 */
export function pipe(text: string, context: PipeContext): string {
  if (!text.includes('{{')) return text
  let places = 0
  return text.replace(PLACE, (_, inner: string) => {
    places++
    return places > MAX_PIPED_PLACES ? '' : filling(inner.trim(), context)
  })
}

function filling(place: string, context: PipeContext): string {
  const known = context.filled?.get(place)
  if (known !== undefined) return known
  const { name, fallback = '' } = readPlace(place)
  const text = shortened(replacement(name, context), MAX_PIPED_CHARACTERS) || fallback
  const found = context.encode ? context.encode(text) : text
  context.filled?.set(place, found)
  return found
}

/** Parses the content of the braces: a name and an optional default. */
function readPlace(place: string): { name: string; fallback?: string } {
  const [, name, double, single, curly] = WITH_DEFAULT.exec(place) ?? []
  const fallback = double ?? single ?? curly
  return fallback === undefined ? { name: place } : { name: name!.trim(), fallback }
}

/** The `default` filter of Liquid templates. Word processors replace the quotes with curly ones. */
const WITH_DEFAULT = /^([^|]*)\|\s*default\s*:\s*(?:"([^"]*)"|'([^']*)'|[“„«]([^”“»]*)[”“»])$/

/** Returns the names in the placeholders of a text that have no default. */
export const namesWithoutDefault = (text: string): string[] =>
  text.includes('{{')
    ? [...text.matchAll(PLACE)]
        .map(([, inner = '']) => readPlace(inner.trim()))
        .flatMap(({ name, fallback }) => (fallback === undefined ? [name] : []))
    : []

/** Returns the number of placeholders in a text. */
export const countPlaces = (text: string): number => (text.includes('{{') ? [...text.matchAll(PLACE)].length : 0)

const PLACE = /\{\{([^{}]{1,300})\}\}/g
/** Maximum length of the name shown in place of an answer. */
const MAX_BLANK_CHARACTERS = 40

/**
 * Replaces the placeholders of a text when there is no response: each shows its name in angle quotes, a question its
 * title. `Why {{ bread }}?` becomes `Why ‹Which bread do you eat?›?`.
 */
export function renderPlaceholders(text: string, { q, language }: Pick<PipeContext, 'q' | 'language'>): string {
  if (!text.includes('{{')) return text
  return text.replace(
    PLACE,
    (_, inner: string) => `‹${shortened(blankName(readPlace(inner.trim()).name, q, language), MAX_BLANK_CHARACTERS)}›`,
  )
}

function blankName(name: string, q: Questionnaire, language: string): string {
  const field = q.byKey.get(name)
  const question = field?.question ?? q.byId.get(name) ?? q.byIdentifier.get(name)
  // The title of that question may have placeholders too.
  const plain = (text: LanguageText) => textIn(text, language, q).replace(PLACE, '…').trim()
  if (question) return (field?.row && plain(field.row.label)) || plain(question.title) || name
  return name.startsWith('invite.') ? name.slice('invite.'.length).trim() : name
}

const shortened = (text: string, characters: number): string =>
  text.length <= characters
    ? text
    : `${text
        .slice(0, characters - 1)
        .trimEnd()
        .toWellFormed()}…`

function replacement(name: string, { q, answers, language, invite }: PipeContext): string {
  const field = q.byKey.get(name)
  if (field) return shown(field, q, answers, language)
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  if (question) {
    const fields = question.fields.filter(({ type }) => type !== 'other')
    return listed(fields, (each) => shown(each, q, answers, language))
  }
  const member = name.startsWith('invite.') ? name.slice('invite.'.length).trim() : undefined
  return member !== undefined && invite && Object.hasOwn(invite, member) ? invite[member]! : ''
}

/** Returns the display text of an answer. The text of an 'other' choice replaces its label. */
function shown(field: Field, q: Questionnaire, answers: Answers, language: string): string {
  const value = answerTo(answers, field.key)
  if (value === undefined) return ''
  const other = answerTo(answers, `${field.key}\\other`)
  const chosen: readonly Answer[] = isList(value) ? value : [value]
  return listed(chosen, (one) =>
    typeof one === 'number' && field.choices[one]?.other && other ? String(other) : labelOf(field, one, language, q),
  )
}

/** Joins texts that are not empty, up to the maximum length of an inserted answer. */
function listed<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = ''
  for (const item of items) {
    if (text.length > MAX_PIPED_CHARACTERS) break
    const next = textOf(item).slice(0, MAX_PIPED_CHARACTERS + 1)
    if (next) text += text ? `, ${next}` : next
  }
  return text
}
