import type { Context } from '../context.ts'
import { compile } from '../structure/compile.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import type { Field, Question, Questionnaire } from '../structure/questionnaire.ts'
import { textIn } from '../structure/text.ts'
import type { StructureWarning } from '../structure/warnings.ts'
import type { Tables } from '../tables.ts'
import { countAllReadOnly } from './counts.ts'
import { type Predicate, valuePredicate } from './predicate.ts'

/** Maximum number of checked changes. */
const MAX_CHANGES = 100

/** A change of the structure, with the predicates of the answers that it affects. */
interface Change {
  predicates: readonly Predicate[]
  warning(answers: string): StructureWarning
}

/** Returns warnings about stored answers to removed or changed questions and choices. */
export type RemovalWarnings = (
  context: Pick<Context, 'em'>,
  surveyId: number,
  before: NumberedStructure,
  after: NumberedStructure,
) => Promise<StructureWarning[]>

/** Returns warnings about removed questions, removed choices and changed question types that have stored answers. */
export const removalWarnings: RemovalWarnings = async ({ em }, surveyId, before, after) => {
  const previous = compile(before.structure, before.removed)
  const current = compile(after.structure, after.removed)
  const changes = previous.questions.flatMap((question) => changesOf(question, current, previous)).slice(0, MAX_CHANGES)
  const predicates = changes.flatMap((change) => change.predicates)
  if (predicates.length === 0) return []
  const counts = await countAllReadOnly(em.getKysely<Tables>(), surveyId, predicates)
  return changes.flatMap(({ predicates, warning }) => {
    const count = predicates.reduce((sum, predicate) => sum + counts(predicate), 0)
    return count > 0 ? [warning(count === 1 ? '1 answer' : `${count} answers`)] : []
  })
}

function changesOf(question: Question, current: Questionnaire, q: Questionnaire): Change[] {
  const keys = question.fields.map(({ storedKey }) => storedKey)
  if (keys.length === 0) return []
  const answered: Predicate = { kind: 'answered', keys }
  const next = current.byId.get(question.id)
  const title = textIn(question.title, q.defaultLanguage, q) || question.id
  if (!next) {
    const message = (answers: string) =>
      `“${title}” was removed but has ${answers}. The answers are kept and are shown again if you add a question with the ID “${question.id}”.`
    return [
      {
        predicates: [answered],
        warning: (answers) => ({ pointer: '/form', code: 'answered_question_removed', message: message(answers) }),
      },
    ]
  }
  if (next.kind !== question.kind) {
    const message = (answers: string) =>
      `The type of “${title}” was changed from ${question.kind} to ${next.kind}, but it has ${answers}, which may no longer be valid.`
    return [
      {
        predicates: [answered],
        warning: (answers) => ({
          pointer: `${next.pointer}/idname`,
          code: 'answered_question_type_changed',
          message: message(answers),
        }),
      },
    ]
  }
  return removedChoices(question, next).map(({ uid, label }) => {
    const name = textIn(label, q.defaultLanguage, q) || String(uid)
    const message = (answers: string) =>
      `“${name}” was removed from “${title}” but has ${answers}. The answers keep the label and no longer have a position.`
    return {
      predicates: question.fields.flatMap((field) => choicePredicates(field, uid)),
      warning: (answers) => ({ pointer: next.pointer, code: 'answered_choice_removed', message: message(answers) }),
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
