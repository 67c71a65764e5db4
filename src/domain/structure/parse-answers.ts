import { createHash } from 'node:crypto'
import { plainText } from '../../lib/strings.ts'
import { consentParts, typeOf } from '../../questions/index.ts'
import { type FieldError, fieldError, type ValueError } from '../field-error.ts'
import { answerError, notAChoice } from './answer-error.ts'
import { answerTo } from './answered.ts'
import { choiceIndex, parseTick } from './choices.ts'
import { isEmpty, type ParsedValue, parseAnswer, type Reading } from './parse-answer.ts'
import type { Answer, Answers, Field, Question, Questionnaire } from './questionnaire.ts'
import { type Target, targetOf } from './target.ts'
import { textIn } from './text.ts'

/** Parsed answers and their errors. */
export interface ParsedAnswers {
  /** Answers with positions of choices (stored.ts), by response key; an object without a prototype. */
  answers: Answers
  /** `field` is a response key, or a key from the request that is not a response key. */
  errors: FieldError[]
  /** Response keys submitted with an empty value. An edit removes their answers. */
  cleared: string[]
}

const MAX_UNKNOWN_KEY_ERRORS = 100

/**
 * Parses submitted answers (form strings or JSON) into answers with positions of choices (stored.ts). Keys are response
 * keys, in which an identifier can replace the id of a question. `<id>\<n>` selects one choice of a multiple-choice
 * question, like the columns of an export; all selected choices together are the answer. This function checks the
 * format of each value; `validateAnswers` checks rules such as required and ranges. Parsing is idempotent.
 * @param mode `strict` reports unknown keys as errors, `lenient` ignores them
 */
export function parseAnswers(
  q: Questionnaire,
  raw: Readonly<Record<string, unknown>>,
  mode: 'strict' | 'lenient',
  reading: Reading = {},
): ParsedAnswers {
  const answers: Record<string, Answer> = Object.create(null)
  const errors: FieldError[] = []
  const cleared = new Set<string>()
  const ticks = new Map<Field, Map<number, unknown>>()
  const agreedTexts = new Map<Question, string>()
  let unknownKeys = 0

  for (const key of Object.keys(raw)) {
    const value = raw[key]
    if (value === undefined) continue
    const target = targetOf(q, key)
    if (!target?.field) {
      if (mode === 'strict' && unknownKeys < MAX_UNKNOWN_KEY_ERRORS) errors.push(unknownKey(key, target))
      unknownKeys += 1
      continue
    }
    const { field, choice } = target
    // The id of a question takes precedence over its identifier, and the key of a question over the keys of its
    // columns.
    if (key !== field.key && Object.hasOwn(raw, field.key)) continue
    if (choice !== undefined) {
      ticks.set(field, (ticks.get(field) ?? new Map<number, unknown>()).set(choice, value))
      continue
    }
    if (typeOf(field.question.kind)?.onlyYes && !field.part) collectConsent(field, value)
    else collect(field, parseAnswer(field, value, reading))
  }
  for (const [field, columns] of ticks) {
    if (!Object.hasOwn(answers, field.key)) collect(field, parseTicks(field, columns))
  }
  for (const question of consents(q)) {
    if (answers[question.id] === true && !Object.hasOwn(answers, `${question.id}\\text`))
      Object.assign(answers, consentAnswers(question, q, agreedTexts.get(question)))
    else if (cleared.has(question.id)) for (const part of consentParts) cleared.add(`${question.id}\\${part}`)
  }
  return { answers, errors, cleared: [...cleared] }

  /**
   * Parses the answer to a consent: a boolean, as API clients send it, or the value that a page submits. The value of a
   * page identifies the texts that the respondent read.
   */
  function collectConsent(field: Field, submitted: unknown) {
    const value: unknown = Array.isArray(submitted) ? submitted.at(-1) : submitted
    if (isConsentValue(value)) {
      const text = agreedText(field.question, q, value)
      if (text === undefined) return collect(field, { error: answerError('consent_changed') })
      agreedTexts.set(field.question, text)
      return collect(field, { value: true })
    }
    const parsed = parseAnswer(field, submitted, reading)
    collect(field, 'value' in parsed && parsed.value === false ? { value: undefined } : parsed)
  }

  function collect(field: Field, parsed: ParsedValue) {
    if ('error' in parsed) errors.push({ field: field.key, ...parsed.error })
    else if (parsed.value === undefined) cleared.add(field.key)
    else answers[field.key] = parsed.value
  }
}

const consentsCache = new WeakMap<Questionnaire, readonly Question[]>()

function consents(q: Questionnaire): readonly Question[] {
  const cached = consentsCache.get(q) ?? q.questions.filter(({ kind }) => typeOf(kind)?.onlyYes)
  consentsCache.set(q, cached)
  return cached
}

function unknownKey(key: string, target: Target | undefined): FieldError {
  if (target?.question?.rows.length) {
    const { fields } = target.question
    const message = `is a grid: answer its rows, ${fields[0]!.key} to ${fields.at(-1)!.key}`
    return fieldError(key, 'not_answerable', {}, message)
  }
  return target ? fieldError(key, 'not_answerable') : fieldError(key, 'unknown_question', { value: key.slice(0, 60) })
}

/**
 * Parses the cells of a multiple-choice question, each for one choice. If every cell that is not empty contains the
 * index or the label of its choice, as in an export, these choices are selected. Otherwise, a cell is a tick: 1, true, on, yes, the index or the label mean selected; 0, false, off and no mean not selected.
 * @returns the indices of the selected choices, or an error and the index of its cell
 */
export function parseTicks(
  field: Field,
  cells: ReadonlyMap<number, unknown>,
): { value: number[] | undefined } | { error: ValueError; index: number } {
  const given = [...cells].flatMap(([index, value]): [number, unknown][] => {
    const cell: unknown = Array.isArray(value) ? value.at(-1) : value
    return isEmpty(typeof cell === 'string' ? cell.trim() : cell) ? [] : [[index, cell]]
  })
  const isExported = given.every(([index, cell]) => isOwnIndex(index, cell) || isOwnLabel(field, index, cell))
  const selected: number[] = []
  for (const [index, cell] of given) {
    const isSelected = isExported || (parseTick(cell) ?? (choiceIndex(field, cell) === index || undefined))
    if (isSelected === undefined) return { error: notAChoice(cell), index }
    if (isSelected) selected.push(index)
  }
  return { value: selected.length > 0 ? selected.sort((a, b) => a - b) : undefined }
}

const isOwnLabel = ({ choices }: Field, index: number, cell: unknown): boolean =>
  typeof cell === 'string' &&
  Object.values(choices[index]?.label ?? {}).some((label) => label.trim() !== '' && label.trim() === cell.trim())

const isOwnIndex = (index: number, cell: unknown): boolean =>
  typeof cell === 'number' ? cell === index : typeof cell === 'string' && plainText(cell) === String(index)

/** The texts of a consent in a language. */
interface ConsentText {
  /** Identifies the texts and their version when a form is submitted. */
  digest: string
  language: string
  text: string
}

const textsCache = new WeakMap<Question, readonly ConsentText[]>()

/** Returns the texts of a consent in each language of the survey. The default language comes first. */
function consentTexts(question: Question, q: Questionnaire): readonly ConsentText[] {
  const cached = textsCache.get(question)
  if (cached) return cached
  const { title, description, statement = {}, version } = question
  const codes = new Set([q.defaultLanguage, ...q.languages.map(({ code }) => code)])
  const texts = [...codes].map((language) => {
    const text = [title, description, statement]
      .map((one) => textIn(one, language, q).trim())
      .filter(Boolean)
      .join('\n\n')
    const digest = createHash('sha256')
      .update(JSON.stringify([version, text]))
      .digest('base64url')
      .slice(0, 16)
    return { digest: `c-${digest}`, language, text }
  })
  textsCache.set(question, texts)
  return texts
}

/** Returns the value that a form submits if the respondent agrees to the texts of a consent in a language. */
export const consentValue = (question: Question, q: Questionnaire, language: string): string =>
  (consentTexts(question, q).find((one) => one.language === language) ?? consentTexts(question, q)[0]!).digest

/** Reports whether a value comes from the checkbox of a consent. The texts may have changed since it was shown. */
export const isConsentValue = (value: unknown): value is string =>
  typeof value === 'string' && /^c-[\w-]{16}$/.test(value)

/**
 * Returns the texts to which a respondent agreed.
 * @param value the submitted value of the checkbox
 * @returns undefined if the texts were changed after the respondent opened the page
 */
const agreedText = (question: Question, q: Questionnaire, value: string): string | undefined =>
  consentTexts(question, q).find(({ digest }) => digest === value)?.text

/** Returns the answers that are stored with a consent: its version and text, unless they are empty. */
export function consentAnswers(question: Question, q: Questionnaire, agreed?: string): Record<string, Answer> {
  const { version } = question
  const text = agreed ?? consentTexts(question, q)[0]!.text
  return {
    ...(version && { [`${question.id}\\version`]: version }),
    ...(text && { [`${question.id}\\text`]: text }),
  }
}

/** Reports whether answers contain a consent to the present texts of a question, in any language. */
export const hasConsented = (question: Question, q: Questionnaire, answers: Answers): boolean =>
  answerTo(answers, question.id) === true &&
  answerTo(answers, `${question.id}\\version`) === question.version &&
  consentTexts(question, q).some(({ text }) => text === (answerTo(answers, `${question.id}\\text`) ?? ''))
