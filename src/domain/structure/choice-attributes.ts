import type { Choice } from './questionnaire.ts'
import { authoredSetting } from './setting.ts'
import { type Json, membersOf, recordsIn } from './walk.ts'

/** Returns the authored filters of a question. */
export const filtersOf = (source: Json): { question: string; attribute: string }[] =>
  recordsIn(authoredSetting(source, 'choiceFilter')).map(({ question, attribute }) => ({
    question: String(question),
    attribute: String(attribute),
  }))

/** Returns the values of an attribute of an authored choice; undefined if the choice does not have the attribute. */
export function attributeValues(choice: Json, attribute: string): string[] | undefined {
  const attributes = membersOf(choice.attributes)
  if (!Object.hasOwn(attributes, attribute)) return undefined
  const value = attributes[attribute]
  return value === null ? undefined : [value].flat().map((one) => String(one).trim())
}

/** Returns the text with which an attribute names a choice: its code, otherwise its position from 1. */
export const filterValueOf = ({ code, index }: Pick<Choice, 'code' | 'index'>): string =>
  code?.trim() ?? String(index + 1)
