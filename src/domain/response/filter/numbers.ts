import { choiceIndex } from '../../structure/choice-index.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { isRemoved, positionOf, uidAt } from '../../structure/stored.ts'
import { targetOf } from '../../structure/target.ts'
import { textIn } from '../../structure/text.ts'
import type { Operator } from './condition.ts'

/** A condition as written: a name, an operator and a value. */
export interface Written {
  name: string
  operator: Operator
  value: string
}

/**
 * Translates a condition of a stored query to the present names and positions. Stored queries name choices and rows by
 * their stable numbers, so that they follow moved choices. A removed choice is named by its last label.
 */
export function fromSaved(q: Questionnaire, saved: Written): Written {
  if (!q.renumbered) return saved
  const name = namesOf(q).current.get(saved.name) ?? saved.name
  const ticked = name === saved.name ? removedTick(q, saved) : undefined
  if (ticked) return ticked
  const field = choiceFieldOf(q, name)
  if (!field || !/^\d{1,10}$/.test(saved.value)) return { ...saved, name }
  const index = positionOf(field, Number(saved.value))
  if (!isRemoved(index)) return { ...saved, name, value: String(index) }
  const label = labelOfRemoved(q, field, Number(saved.value))
  return { ...saved, name, value: label ?? saved.value }
}

/** Translates a condition to its stored form. */
export function toSaved<One extends Written>(q: Questionnaire, written: One): One {
  if (!q.renumbered) return written
  const name = namesOf(q).saved.get(written.name) ?? written.name
  const field = choiceFieldOf(q, written.name)
  const isIndex =
    field && /^\d{1,10}$/.test(written.value) && choiceIndex(field, written.value) === Number(written.value)
  return { ...written, name, ...(isIndex && { value: String(uidAt(field, Number(written.value))) }) }
}

/** Returns the field of a name whose values are choices; for a grid any row, because all rows have the same choices. */
function choiceFieldOf(q: Questionnaire, name: string): Field | undefined {
  const target = targetOf(q, name)
  // `q1\2` contains its choice.
  if (!target || target.choice !== undefined) return undefined
  const field = target.field ?? target.question?.fields.find(({ type }) => type !== 'other')
  return field?.renumbered && field.choices.length > 0 && field.type !== 'boolean' ? field : undefined
}

/** Translates `q1\7=1` for a removed choice to a comparison with its label. */
function removedTick(q: Questionnaire, { name, operator, value }: Written): Written | undefined {
  const [, base = '', uid] = /^(.+)\\(\d{1,10})$/s.exec(name) ?? []
  const field = uid === undefined || value !== '1' ? undefined : targetOf(q, base)?.field
  const label = field && labelOfRemoved(q, field, Number(uid))
  return label === undefined ? undefined : { name: base, operator, value: label }
}

function labelOfRemoved(q: Questionnaire, field: Field, wanted: number): string | undefined {
  const removed = field.removed.find(({ uid }) => uid === wanted)
  return removed && textIn(removed.label, q.defaultLanguage, q)
}

interface Names {
  /** Present names by stored names. */
  current: ReadonlyMap<string, string>
  /** Stored names by present names. */
  saved: ReadonlyMap<string, string>
}

const maps = new WeakMap<Questionnaire, Names>()

/** Returns the names of rows and single choices that differ between queries and stored queries. */
function namesOf(q: Questionnaire): Names {
  const known = maps.get(q)
  if (known) return known
  const pairs = q.questions.flatMap((question) =>
    [question.id, ...(question.identifier ? [question.identifier] : [])].flatMap((base) =>
      question.fields.flatMap((field): [string, string][] => [
        [base + field.key.slice(question.id.length), base + field.storedKey.slice(question.id.length)],
        ...(field.type === 'multi'
          ? field.choices.map(({ index, uid }): [string, string] => [`${base}\\${index}`, `${base}\\${uid}`])
          : []),
      ]),
    ),
  )
  const names: Names = {
    current: new Map(pairs.map(([now, saved]) => [saved, now])),
    saved: new Map(pairs),
  }
  maps.set(q, names)
  return names
}
