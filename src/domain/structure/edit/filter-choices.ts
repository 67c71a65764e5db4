import { attributeValues, filtersOf } from '../choice-attributes.ts'
import { settingOf } from '../setting.ts'
import type { StructureQuestion } from '../structure.ts'
import { uidOf } from '../uid.ts'
import { arrayOf, isRecord, type Json } from '../walk.ts'
import { withSetting } from './edit-question.ts'
import { withMembers } from './merge.ts'
import type { FilterChange } from './operation.ts'

/** Returns a question whose choices are filtered by these questions only. Other attributes of the choices are kept. */
export function filterChoices(question: StructureQuestion, filters: readonly FilterChange[]): StructureQuestion {
  const names = new Set(filters.map(({ attribute }) => attribute))
  const removed = filtersOf(question).filter(({ attribute }) => !names.has(attribute))
  const choices = arrayOf(settingOf(question, 'choices'))
    .filter(isRecord)
    .map((choice, index) => {
      const changed: Json = Object.fromEntries(removed.map(({ attribute }) => [attribute, undefined]))
      for (const { attribute, values } of filters)
        changed[attribute] = attributeAfter(choice, attribute, values.get(uidOf(choice, index)))
      const attributes = withMembers(isRecord(choice.attributes) ? choice.attributes : {}, changed)
      return withMembers(choice, { attributes: Object.keys(attributes).length > 0 ? attributes : undefined })
    })
  const choiceFilter = filters.map(({ question: name, attribute }) => ({ question: name, attribute }))
  return withSetting(
    withSetting(question, 'choices', choices),
    'choiceFilter',
    choiceFilter.length > 0 ? choiceFilter : null,
  )
}

/** Returns an attribute with new values. An attribute that does not change keeps its form: a text, a number or a list. */
function attributeAfter(choice: Json, attribute: string, values: readonly string[] | undefined): unknown {
  if (!values) return undefined
  const before = attributeValues(choice, attribute)
  const isSame = before?.length === values.length && before.every((value) => values.includes(value))
  if (isSame) return (choice.attributes as Json)[attribute]
  return values.length === 1 ? values[0] : values
}
