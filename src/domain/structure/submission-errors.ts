import type { FieldError } from '../problem.ts'
import type { ReadAnswers } from './answers.ts'
import type { Answers, Questionnaire } from './questionnaire.ts'
import { targetOf } from './target.ts'
import { validateAnswers } from './validate-answers.ts'

/**
 * Returns all that is wrong with a submission, at most one fault a response key, in the order of the structure; keys
 * that are none of it come last. An answer that cannot be read is not called missing as well.
 * @param whole what was read together with what is stored already
 * @param complete whether it is meant as a complete response: then required answers and the rules of questions count
 */
export function submissionFaults(
  q: Questionnaire,
  { answers, faults: shape }: ReadAnswers,
  whole: Answers,
  complete: boolean,
): FieldError[] {
  const errors = new Map(shape.map((fieldError) => [fieldError.field, fieldError]))
  const sense = complete ? validateAnswers(q, whole) : []
  for (const fault of [...loneOthers(q, answers, whole), ...sense]) {
    const question = q.byKey.get(fault.field)?.question.id ?? ''
    if (!errors.has(fault.field) && !errors.has(question)) errors.set(fault.field, fault)
  }
  if (errors.size === 0) return []
  const places = new Map(q.fields.map(({ key }, place) => [key, place]))
  const placeOf = ({ field }: FieldError) =>
    places.get(field) ?? places.get(targetOf(q, field)?.question?.fields[0]?.key ?? '') ?? places.size
  return [...errors.values()].sort((one, other) => placeOf(one) - placeOf(other))
}

/** The text of an 'other' choice goes together with an answer to its question (specification, "v3: responses"). */
const loneOthers = (q: Questionnaire, sent: Answers, whole: Answers): FieldError[] =>
  Object.keys(sent)
    .map((key) => q.byKey.get(key))
    .filter((field) => field?.type === 'other' && !Object.hasOwn(whole, field.question.id))
    .map((field) => ({ field: field!.key, message: `This goes together with an answer to ${field!.question.id}.` }))
