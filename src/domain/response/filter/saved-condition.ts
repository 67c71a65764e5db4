import { answerFields } from '../../structure/answered.ts'
import { choiceIndex } from '../../structure/choices.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { isRemoved, positionOf, uidAt } from '../../structure/stored.ts'
import { targetOf } from '../../structure/target.ts'
import { textIn } from '../../structure/text.ts'
import type { Operator } from './condition.ts'

/** A condition of a query string. */
export interface ConditionSource {
  name: string
  operator: Operator
  value: string
}

/**
 * Converts a condition of a stored query to the present names and positions. The stored condition identifies choices
 * and rows by their stable numbers (`uid`). A removed choice is represented by its last label.
 */
export function fromSaved(q: Questionnaire, saved: ConditionSource): ConditionSource {
  if (!q.renumbered) return saved
  if (isCoded(saved.name)) return { ...saved, name: withSuffix(saved.name, (base) => namesOf(q).current.get(base)) }
  const name = namesOf(q).current.get(saved.name) ?? saved.name
  const removed = name === saved.name ? removedChoiceCondition(q, saved) : undefined
  if (removed) return removed
  const field = choiceFieldOf(q, name)
  if (!field || !/^\d{1,10}$/.test(saved.value)) return { ...saved, name }
  const index = positionOf(field, Number(saved.value))
  if (!isRemoved(index)) return { ...saved, name, value: String(index) }
  const label = labelOfRemoved(q, field, Number(saved.value))
  return { ...saved, name, value: label ?? saved.value }
}

/** Converts a condition to its stored form. */
export function toSaved<Source extends ConditionSource>(q: Questionnaire, condition: Source): Source {
  if (!q.renumbered) return condition
  if (isCoded(condition.name))
    return { ...condition, name: withSuffix(condition.name, (base) => namesOf(q).saved.get(base)) }
  const name = namesOf(q).saved.get(condition.name) ?? condition.name
  const field = choiceFieldOf(q, condition.name)
  const isIndex =
    field && /^\d{1,10}$/.test(condition.value) && choiceIndex(field, condition.value) === Number(condition.value)
  return { ...condition, name, ...(isIndex && { value: String(uidAt(field, Number(condition.value))) }) }
}

/** The end of a name that compares the codes of choices. Codes stay when choices move. */
export const CODE_SUFFIX = '\\code'

const isCoded = (name: string): boolean => name.endsWith(CODE_SUFFIX)

function withSuffix(name: string, rename: (base: string) => string | undefined): string {
  const base = name.slice(0, -CODE_SUFFIX.length)
  return (rename(base) ?? base) + CODE_SUFFIX
}

/**
 * Returns the field of a name if its answers are choices whose positions can differ from their stable numbers. For the
 * name of a grid, returns the field of any row, because all rows have the same choices.
 */
function choiceFieldOf(q: Questionnaire, name: string): Field | undefined {
  const target = targetOf(q, name)
  // The name `q1\2` already contains the choice.
  if (!target || target.choice !== undefined) return undefined
  const field = target.field ?? (target.question && answerFields(target.question)[0])
  return field?.renumbered && field.choices.length > 0 && field.type !== 'boolean' ? field : undefined
}

/** Converts a condition such as `q1\7=1` on a removed choice to a comparison with the label of the choice. */
function removedChoiceCondition(
  q: Questionnaire,
  { name, operator, value }: ConditionSource,
): ConditionSource | undefined {
  const [, base = '', uid] = /^(.+)\\(\d{1,10})$/s.exec(name) ?? []
  const field = uid === undefined || value !== '1' ? undefined : targetOf(q, base)?.field
  const label = field?.type === 'multi' && labelOfRemoved(q, field, Number(uid))
  return !label ? undefined : { name: base, operator, value: label }
}

function labelOfRemoved(q: Questionnaire, field: Field, uid: number): string | undefined {
  const removed = field.removed.find((choice) => choice.uid === uid)
  return removed && textIn(removed.label, q.defaultLanguage, q)
}

interface Names {
  /** Present names by stored names. */
  current: ReadonlyMap<string, string>
  /** Stored names by present names. */
  saved: ReadonlyMap<string, string>
}

const nameCache = new WeakMap<Questionnaire, Names>()

/**
 * Returns the names of rows and choices in stored queries. These names contain stable numbers (`uid`), in place of the
 * positions that the present names contain.
 */
function namesOf(q: Questionnaire): Names {
  const cached = nameCache.get(q)
  if (cached) return cached
  const entries = q.questions.flatMap((question) =>
    [question.id, ...(question.identifier ? [question.identifier] : [])].flatMap((base) =>
      question.fields.flatMap((field): [string, string][] => [
        [base + field.key.slice(question.id.length), base + field.storedKey.slice(question.id.length)],
        ...(field.type === 'multi' || field.type === 'ranking'
          ? field.choices.map(({ index, uid }): [string, string] => [`${base}\\${index}`, `${base}\\${uid}`])
          : []),
      ]),
    ),
  )
  const names: Names = {
    current: new Map(entries.map(([current, saved]) => [saved, current])),
    saved: new Map(entries),
  }
  nameCache.set(q, names)
  return names
}
