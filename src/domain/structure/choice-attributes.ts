import type { Choice } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/** Maximum number of attributes of a choice. */
export const MAX_ATTRIBUTES = 20
/** Maximum number of characters of the name of an attribute, and of its value. */
export const MAX_ATTRIBUTE_CHARACTERS = 200
/** Maximum number of values of one attribute. */
export const MAX_ATTRIBUTE_VALUES = 100

/** Returns the authored filters of a question. */
export const filtersOf = (source: Json): { question: string; attribute: string }[] =>
  arrayOf(settingOf(source, 'choiceFilter'))
    .filter(isRecord)
    .map(({ question, attribute }) => ({ question: String(question), attribute: String(attribute) }))

/** Returns the values of an attribute of an authored choice; undefined if the choice does not have the attribute. */
export function attributeValues(choice: Json, attribute: string): string[] | undefined {
  const { attributes } = choice
  if (!isRecord(attributes) || !Object.hasOwn(attributes, attribute)) return undefined
  const value = attributes[attribute]
  return value === null ? undefined : [value].flat().map((one) => String(one).trim())
}

/** Returns the text with which an attribute names a choice: its code, otherwise its position from 1. */
export const filterValueOf = ({ code, index }: Pick<Choice, 'code' | 'index'>): string =>
  code?.trim() ?? String(index + 1)
