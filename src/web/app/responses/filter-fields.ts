import { isAnonymous } from '../../../domain/response/filter/identity.ts'
import { metaFieldByKey, STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import type { Field } from '../../../domain/structure/questionnaire.ts'
import { targetOf } from '../../../domain/structure/target.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Telling, titleOf, wordsOf } from './answer.ts'

/** What a condition can be about, and what it can be compared with. */
export interface Subject {
  name: string
  label: string
  of: 'question' | 'response'
  /** The only values there are, where that is so. */
  values?: readonly { value: string; label: string }[]
  input: 'text' | 'number' | 'date' | 'time' | 'datetime-local'
  /** Whether it has an order, so that more and less mean something. */
  ordered: boolean
  /** It is a text in which a part can be looked for. */
  searchable?: boolean
  /** Several can be chosen: a condition asks whether the value is among them. */
  several?: boolean
  /** A response may be without it. */
  optional: boolean
}

type Shape = Pick<Subject, 'input' | 'ordered' | 'optional'>

const TEXT: Shape = { input: 'text', ordered: false, optional: true }
const TIME: Shape = { input: 'date', ordered: true, optional: false }
const count = (optional: boolean): Shape => ({ input: 'number', ordered: true, optional })

/** Meta fields that the form offers, in its order. State and collector have fields of their own. */
const OFFERED = [
  ...([
    '_created_at',
    '_updated_at',
    '_id',
    '_key',
    '_language',
    '_completion_time',
    '_weighted_score',
    '_saves',
  ] as const),
  ...(['_pagepath', '_invite_name', '_invite_email', '_invite_code', '_username', '_ip_address', '_referrer'] as const),
  '_get_variables',
] as const

const META = OFFERED.map((key) => {
  const { type, label, personal = false, optional = personal } = metaFieldByKey.get(key)!
  const shape = type === 'time' ? TIME : type === 'text' || type === 'key' ? TEXT : count(optional)
  return { name: key, label, personal, ...shape, optional }
})

/** Everything that a condition can be about: each question that takes an answer, then what every response has. */
export function subjectsOf(snapshot: SurveySnapshot, telling: Telling): Subject[] {
  const hidden = isAnonymous(snapshot)
  return [
    ...snapshot.questionnaire.fields.map((field) => fieldSubject(field, telling)),
    ...META.filter(({ personal }) => !(personal && hidden)).map(
      ({ personal, ...meta }): Subject => ({ ...meta, of: 'response' }),
    ),
  ]
}

/** What a name in a condition is about; a question's identifier means its id. */
export function subjectNamed(snapshot: SurveySnapshot, name: string, telling: Telling): Subject | undefined {
  const { questionnaire, collectors } = snapshot
  if (name === '_completed') {
    const values = STATE_LABELS.map((label, value) => ({ value: String(value), label }))
    return { name, label: 'Status', of: 'response', values, input: 'number', ordered: false, optional: false }
  }
  if (name === '_collector') {
    const values = [...collectors.values()].map(({ id, name: label }) => ({ value: String(id), label }))
    return { name, label: 'Collector', of: 'response', values, input: 'number', ordered: false, optional: false }
  }
  const meta = META.find((each) => each.name === name)
  if (meta) return { ...meta, of: 'response' }
  const { field, question, choice } = targetOf(questionnaire, name) ?? {}
  if (field && choice === undefined) return fieldSubject(field, telling)
  const title = question && titleOf(question, telling)
  return title === undefined ? undefined : { name, label: title, of: 'question', ...TEXT }
}

function fieldSubject(field: Field, telling: Telling): Subject {
  const title = titleOf(field.question, telling)
  const row = field.row && (wordsOf(field.row.label, telling) || String(field.row.index + 1))
  const label = field.type === 'other' ? `${title}, other` : row ? `${title} ${row}` : title
  const values = field.choices.map((choice) => ({
    value: field.type === 'boolean' ? String(choice.index === 0) : String(choice.index),
    label: wordsOf(choice.label, telling) || String(choice.index),
  }))
  const asked = { name: field.key, label, of: 'question' as const }
  switch (field.type) {
    case 'single':
    case 'boolean':
      return { ...asked, ...TEXT, values }
    case 'multi':
    case 'ranking':
      return { ...asked, ...TEXT, values, several: true }
    case 'number':
      return { ...asked, ...count(true) }
    case 'datetime':
      return { ...asked, input: dateInput(field), ordered: true, optional: true }
    default:
      return { ...asked, ...TEXT, ordered: true, searchable: true }
  }
}

const dateInput = ({ question: { format } }: Field): Subject['input'] =>
  format === 'date' || format === 'time' ? format : 'datetime-local'
