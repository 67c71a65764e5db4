import type { FieldError } from '../problem.ts'
import { notAChoice } from './messages.ts'
import { isEmpty, type Pick, parseAnswer, type ReadValue } from './parse-answer.ts'
import { choiceIndex, tickOf } from './pick.ts'
import type { Answer, Answers, Field, Questionnaire } from './questionnaire.ts'
import { type Target, targetOf } from './target.ts'

export interface ReadAnswers {
  /** By response key, as stored; an object without a prototype. */
  answers: Answers
  /** `field` is a response key, or the key as sent where it is none. */
  faults: FieldError[]
  /** Response keys sent with nothing in them: an edit removes their answers. */
  cleared: string[]
}

const MAXIMUM_UNKNOWN_KEYS = 100

/**
 * Answers as sent (form strings or JSON) as they are stored. Keys are response keys, or identifiers in place of
 * question ids; `<id>\<n>` ticks one choice of a multiple-choice question as export names its columns, and what is
 * ticked so is the whole answer. Shape is checked here, sense (required, ranges) by `validateAnswers`.
 * `strict` names unknown keys as faults, `lenient` passes them over. Reading what was read changes nothing.
 * @param pick which choices an answer may name; absent: those that are offered
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
      // A hundred thousand more are not named.
      if (mode === 'strict' && unknown < MAXIMUM_UNKNOWN_KEYS)
        errors.push({ field: key, message: unknownKey(key, target) })
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
  return { answers, faults: errors, cleared: [...cleared] }

  function keep(field: Field, read: ReadValue) {
    if ('fault' in read) errors.push({ field: field.key, message: read.fault })
    else if (read.value === undefined) cleared.add(field.key)
    else answers[field.key] = read.value
  }
}

function unknownKey(key: string, target: Target | undefined): string {
  if (target?.question?.rows.length) {
    const { fields } = target.question
    return `This is a grid: answer its rows, ${fields[0]!.key} to ${fields.at(-1)!.key}.`
  }
  if (target) return 'This question takes no answer.'
  return `There is no question ${JSON.stringify(key.slice(0, 60))}.`
}

function readTicks(field: Field, columns: ReadonlyMap<number, unknown>): ReadValue {
  const chosen: number[] = []
  for (const [index, value] of columns) {
    if (isEmpty(value)) continue
    const cell: unknown = Array.isArray(value) ? value.at(-1) : value
    // A cell holds a tick or, as in an export, the index or the label of its own choice.
    const tick = tickOf(cell) ?? (choiceIndex(field, cell) === index || undefined)
    if (tick === undefined) return { fault: notAChoice(cell) }
    if (tick) chosen.push(index)
  }
  return { value: chosen.length > 0 ? chosen.sort((a, b) => a - b) : undefined }
}
