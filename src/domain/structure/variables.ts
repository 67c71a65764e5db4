import { type MetaType, metaFields, STATE_LABELS } from './meta-fields.ts'
import type { Field, Questionnaire } from './questionnaire.ts'
import { textIn } from './text.ts'

export interface Variable {
  type: string
  label: string
  choices?: string[]
}

const VARIABLE_TYPES: Readonly<Record<MetaType, string>> = {
  state: 'single',
  integer: 'number',
  float: 'number',
  time: 'datetime',
  text: 'string',
  collector: 'string',
  key: 'string',
}

/** Types of variables that differ from the type of the field. */
const VARIABLE_TYPE_OF: { readonly [Type in Field['type']]?: string } = { other: 'string', decimal: 'number' }

/**
 * Returns the variables of a response by key: the exported meta fields, then every response key with its title and the
 * labels of its choices in order.
 */
export function variablesOf(q: Questionnaire, language: string): Record<string, Variable> {
  const meta = metaFields
    .filter(({ exported }) => exported)
    .map(({ key, type, label }): [string, Variable] => [
      key,
      { type: VARIABLE_TYPES[type], label, ...(type === 'state' && { choices: [...STATE_LABELS] }) },
    ])
  return Object.fromEntries([...meta, ...q.fields.map((field) => [field.key, variableOf(field, q, language)] as const)])
}

function variableOf(field: Field, q: Questionnaire, language: string): Variable {
  const type = VARIABLE_TYPE_OF[field.type] ?? field.type
  const label = fieldTitle(field, q, language)
  // Net-promoter answers and ratings are numbers, which need no labels.
  if (field.choices.length === 0 || field.type === 'number') return { type, label }
  return { type, label, choices: field.choices.map((choice) => textIn(choice.label, language, q)) }
}

/**
 * Returns the title of a response key: the title of its question, followed by the row of a grid, “(other)” or the part
 * of its answer.
 */
export function fieldTitle(field: Field, q: Questionnaire, language: string): string {
  const title = textIn(field.question.title, language, q)
  if (field.part || field.type === 'other') return `${title} (${field.part ?? 'other'})`
  const row = field.row ? textIn(field.row.label, language, q) : ''
  return row ? `${title} [${row}]`.trim() : title
}
