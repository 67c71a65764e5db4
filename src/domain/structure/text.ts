import { answerTo, isList } from './answered.ts'
import type { Answer, Answers, Field, LanguageText, Questionnaire } from './questionnaire.ts'
import { isRemoved, positionOf } from './stored.ts'

const own = (text: LanguageText, code: string): string =>
  Object.hasOwn(text, code) && typeof text[code] === 'string' ? text[code] : ''

/** A text in a language: exactly it, else its base (`fr` for `fr-CA`), else the default language, else any, else ''. */
export function textIn(text: LanguageText, language: string, q: Questionnaire): string {
  return (
    own(text, language) ||
    own(text, language.split(/[-_]/, 1)[0]!) ||
    own(text, q.defaultLanguage) ||
    Object.values(text).find((any) => any !== '') ||
    ''
  )
}

/** What one stored value reads as: the label of a choice, several joined by ", ", anything else as it is. */
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

/** What piping may draw on; `invite` holds the contact's fields by name. */
export interface PipeContext {
  q: Questionnaire
  answers: Answers
  language: string
  invite?: Readonly<Record<string, string>>
  /** Applied to what is put into a place: for addresses. */
  encode?(text: string): string
  /** What has been put into places of this page by name, so that nothing is looked up twice. */
  filled?: Map<string, string>
}

/** The most places that are filled in one text; what follows becomes nothing. */
export const MAX_PIPED_PLACES = 20
/** The most characters of an answer that are put into one place. */
const MAX_PIPED_CHARACTERS = 200

/**
 * Replaces `{{ question }}` (an id, an identifier or a response key) by its answer and `{{ invite.<field> }}` by the
 * contact's field. What is unknown or unanswered becomes the text given as `{{ question | default: "text" }}`, else
 * nothing; a long answer is cut. Plain text: the page escapes it.
 * Answers are put in once and never read as templates themselves.
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

/** Reads what stands between the braces: a name, and what to show where there is no answer. */
function readPlace(place: string): { name: string; fallback?: string } {
  const [, name, double, single, curly] = WITH_DEFAULT.exec(place) ?? []
  const fallback = double ?? single ?? curly
  return fallback === undefined ? { name: place } : { name: name!.trim(), fallback }
}

/** As in Liquid templates; word processors turn the quotes into curly ones. */
const WITH_DEFAULT = /^([^|]*)\|\s*default\s*:\s*(?:"([^"]*)"|'([^']*)'|[“„«]([^”“»]*)[”“»])$/

/** Returns the names that a text repeats answers of without saying what to show where there is none. */
export const namesWithoutDefault = (text: string): string[] =>
  text.includes('{{')
    ? [...text.matchAll(PLACE)]
        .map(([, inner = '']) => readPlace(inner.trim()))
        .flatMap(({ name, fallback }) => (fallback === undefined ? [name] : []))
    : []

/** Returns how many places a text has. */
export const countPlaces = (text: string): number => (text.includes('{{') ? [...text.matchAll(PLACE)].length : 0)

const PLACE = /\{\{([^{}]{1,300})\}\}/g
/** The most characters of the name that stands for an answer where there is none. */
const MAX_BLANK_CHARACTERS = 40

/**
 * The same where there is no response: each place says in angle quotes what will stand in it, a question by its title.
 * `Why {{ bread }}?` reads `Why ‹Which bread do you eat?›?`.
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
  // The title of that question may have places of its own.
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

/** The label of an answer; where an 'other' choice came with a text of its own, that text stands for the choice. */
function shown(field: Field, q: Questionnaire, answers: Answers, language: string): string {
  const value = answerTo(answers, field.key)
  if (value === undefined) return ''
  const other = answerTo(answers, `${field.key}\\other`)
  const chosen: readonly Answer[] = isList(value) ? value : [value]
  return listed(chosen, (one) =>
    typeof one === 'number' && field.choices[one]?.other && other ? String(other) : labelOf(field, one, language, q),
  )
}

/** Joins what is not empty, and stops when there is more than is put into a place. */
function listed<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = ''
  for (const item of items) {
    if (text.length > MAX_PIPED_CHARACTERS) break
    const next = textOf(item).slice(0, MAX_PIPED_CHARACTERS + 1)
    if (next) text += text ? `, ${next}` : next
  }
  return text
}
