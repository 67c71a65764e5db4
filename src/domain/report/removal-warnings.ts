import { nextTurn } from '../../lib/next-turn.ts'
import { type Predicate, valuePredicate } from '../response/filter/predicate.ts'
import { countByRollup } from '../rollup/segments.ts'
import type { Services } from '../services.ts'
import { compile } from '../structure/compile.ts'
import type { Field, Question, Questionnaire } from '../structure/questionnaire.ts'
import type { StructureWarning } from '../structure/structure.ts'
import { textIn } from '../structure/text.ts'

/** Maximum number of checked changes. */
const MAX_CHANGES = 100

/** A change of the structure, with the predicates of the answers that it affects. */
interface Change {
  predicates: readonly Predicate[]
  warning(count: number): StructureWarning
}

/** Warns about stored answers to removed questions and choices ({@link Services}). */
export const removalWarnings: Services['removalWarnings'] = async ({ em }, surveyId, before, after) => {
  const previous = compile(before.structure, before.removed)
  await nextTurn()
  const current = compile(after.structure, after.removed)
  const changes = previous.questions.flatMap((question) => changesOf(question, current, previous)).slice(0, MAX_CHANGES)
  const predicates = changes.flatMap((change) => change.predicates)
  if (predicates.length === 0) return []
  const counts = await countByRollup({ em }, surveyId, [], predicates, { inTransaction: true })
  return changes.flatMap(({ predicates, warning }) => {
    const count = predicates.reduce((sum, predicate) => sum + counts(predicate), 0)
    return count > 0 ? [warning(count)] : []
  })
}

const answersText = (count: number): string => (count === 1 ? '1 answer' : `${count} answers`)

function changesOf(question: Question, current: Questionnaire, q: Questionnaire): Change[] {
  const keys = question.fields.map(({ storedKey }) => storedKey)
  if (keys.length === 0) return []
  const answered: Predicate = { kind: 'answered', keys }
  const next = current.byId.get(question.id)
  const title = textIn(question.title, q.defaultLanguage, q) || question.id
  if (!next) {
    const message = (count: number) =>
      `“${title}” was removed but has ${answersText(count)}. The answers are kept and are shown again if you add a question with the ID “${question.id}”.`
    return [
      {
        predicates: [answered],
        warning: (count) => ({
          pointer: '/form',
          code: 'answered_question_removed',
          message: message(count),
          values: { title, count, id: question.id },
        }),
      },
    ]
  }
  if (next.kind !== question.kind) {
    const message = (count: number) =>
      `The type of “${title}” was changed from ${question.kind} to ${next.kind}, but it has ${answersText(count)}, which may no longer be valid.`
    return [
      {
        predicates: [answered],
        warning: (count) => ({
          pointer: `${next.pointer}/idname`,
          code: 'answered_question_type_changed',
          message: message(count),
          values: { title, count, from: question.kind, to: next.kind },
        }),
      },
    ]
  }
  return removedChoices(question, next).map(({ uid, label }) => {
    const name = textIn(label, q.defaultLanguage, q) || String(uid)
    const message = (count: number) =>
      `“${name}” was removed from “${title}” but has ${answersText(count)}. The answers keep the label and no longer have a position.`
    return {
      predicates: question.fields.flatMap((field) => choicePredicates(field, uid)),
      warning: (count) => ({
        pointer: next.pointer,
        code: 'answered_choice_removed',
        message: message(count),
        values: { name, title, count },
      }),
    }
  })
}

function removedChoices(question: Question, next: Question) {
  const remainingUids = new Set(next.choices.map(({ uid }) => uid))
  return question.choices.filter(({ uid }) => !remainingUids.has(uid))
}

function choicePredicates(field: Field, uid: number): Predicate[] {
  if (field.type === 'single') return [valuePredicate(field, uid)]
  return field.type === 'multi' || field.type === 'ranking'
    ? [{ kind: 'chosen', key: field.storedKey, index: uid }]
    : []
}
