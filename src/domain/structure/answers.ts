import { type FieldError, fieldError } from '../field-error.ts'
import { notAChoice } from './answer-error.ts'
import { isEmpty, type ParsedValue, type Pick, parseAnswer } from './parse-answer.ts'
import { choiceIndex, tickOf } from './pick.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'
import { type Target, targetOf } from './target.ts'

/** Parsed answers and their errors. */
export interface ReadAnswers {
  /** By response key, as stored; an object without a prototype. */
  answers: Answers
  /** `field` is a response key, or the unknown key as sent. */
  errors: FieldError[]
  /** Response keys with an empty value in the submission: an edit removes their answers. */
  cleared: string[]
}

const MAX_UNKNOWN_KEYS = 100

/**
 * Parses submitted answers (form strings or JSON) into stored answers. Keys are response keys, or identifiers in place
 * of question ids. `<id>\<n>` ticks one choice of a multiple-choice question, like the columns of an export; the ticks
 * are then the whole answer. This checks the form of each value; `validateAnswers` checks rules such as required and
 * ranges. Parsing is idempotent.
 * @param mode `strict` reports unknown keys as errors, `lenient` ignores them
 * @param pick finds the choice of an answer; absent: only choices that are offered
 */
export function readAnswers(
  q: Questionnaire,
  raw: Readonly<Record<string, unknown>>,
  mode: 'strict' | 'lenient',
  pick?: Pick,
): ReadAnswers {
  const answers: Record<string, Answer> = Object.create(null)
  const errors: FieldError[] = []
  const cleared = new Set<string>()
  const ticks = new Map<Field, Map<number, unknown>>()
  let unknown = 0

  for (const key of Object.keys(raw)) {
    const value = raw[key]
    if (value === undefined) continue
    const target = targetOf(q, key)
    if (!target?.field) {
      if (mode === 'strict' && unknown < MAX_UNKNOWN_KEYS) errors.push(unknownKey(key, target))
      unknown += 1
      continue
    }
    const { field, choice } = target
    // A question sent under its id and its identifier is answered by its id; under both itself and its columns, by itself.
    if (key !== field.key && Object.hasOwn(raw, field.key)) continue
    if (choice !== undefined) {
      ticks.set(field, (ticks.get(field) ?? new Map<number, unknown>()).set(choice, value))
      continue
    }
    keep(field, parseAnswer(field, value, pick))
  }
  for (const [field, columns] of ticks) {
    if (!Object.hasOwn(answers, field.key)) keep(field, readTicks(field, columns))
  }
  return { answers, errors, cleared: [...cleared] }

  function keep(field: Field, read: ParsedValue) {
    if ('error' in read) errors.push({ field: field.key, ...read.error })
    else if (read.value === undefined) cleared.add(field.key)
    else answers[field.key] = read.value
  }
}

function unknownKey(key: string, target: Target | undefined): FieldError {
  if (target?.question?.rows.length) {
    const { fields } = target.question
    const message = `is a grid: answer its rows, ${fields[0]!.key} to ${fields.at(-1)!.key}`
    return fieldError(key, 'not_answerable', {}, message)
  }
  return target ? fieldError(key, 'not_answerable') : fieldError(key, 'unknown_question', { value: key.slice(0, 60) })
}

function readTicks(field: Field, columns: ReadonlyMap<number, unknown>): ParsedValue {
  const chosen: number[] = []
  for (const [index, value] of columns) {
    if (isEmpty(value)) continue
    const cell: unknown = Array.isArray(value) ? value.at(-1) : value
    // A cell holds a tick or, as in an export, the index or the label of its own choice.
    const tick = tickOf(cell) ?? (choiceIndex(field, cell) === index || undefined)
    if (tick === undefined) return { error: notAChoice(cell) }
    if (tick) chosen.push(index)
  }
  return { value: chosen.length > 0 ? chosen.sort((a, b) => a - b) : undefined }
}
