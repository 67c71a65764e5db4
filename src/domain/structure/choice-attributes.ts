import { detail } from '../error-details.ts'
import { CHECK, type Schema } from './json-schema.ts'
import type { Choice } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { arrayOf, isPresent, isRecord, type Json, under } from './walk.ts'

/** Maximum number of attributes of a choice. */
const MAX_ATTRIBUTES = 20
/** Maximum number of characters of the name of an attribute, and of its value. */
export const MAX_ATTRIBUTE_CHARACTERS = 200
/** Maximum number of values of one attribute. */
export const MAX_ATTRIBUTE_VALUES = 100

const attributeValue: readonly Schema[] = [{ type: 'string', maxLength: MAX_ATTRIBUTE_CHARACTERS }, { type: 'number' }]

/** The JSON Schema of the attributes of a choice: names with a text, a number, or a list of them. */
export const attributes: Schema = {
  type: 'object',
  description:
    'What the choice belongs to, by name: the code of a choice of an earlier question (its position counted from 1, if it has no code) or another answer; or a list of them. The choice is shown if the answers match; see `choiceFilter`.',
  additionalProperties: {
    anyOf: [...attributeValue, { type: 'array', items: { anyOf: attributeValue }, maxItems: MAX_ATTRIBUTE_VALUES }],
  },
  examples: [{ country: 'de' }],
  [CHECK](errors, pointer, value) {
    if (!isRecord(value)) {
      errors.addType(pointer, 'type_object')
      return
    }
    const names = Object.keys(value)
    if (names.length > MAX_ATTRIBUTES) errors.add(pointer, 'too_many', { max: MAX_ATTRIBUTES })
    for (const name of names) {
      const values = [value[name]].flat()
      const at = under(pointer, name)
      if (!isAttributeName(name))
        errors.add(at, 'invalid_name', {}, detail('attribute_name', { max: MAX_ATTRIBUTE_CHARACTERS }))
      else if (values.length > MAX_ATTRIBUTE_VALUES) errors.add(at, 'too_many', { max: MAX_ATTRIBUTE_VALUES })
      else if (isPresent(value[name]) && !values.every(isValue))
        errors.addType(at, 'type_attribute', { max: MAX_ATTRIBUTE_CHARACTERS })
    }
  },
}

/** Reports whether a value is the name of an attribute. */
export const isAttributeName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ATTRIBUTE_CHARACTERS

const isValue = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ATTRIBUTE_CHARACTERS)

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
