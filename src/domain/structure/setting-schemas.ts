import { detail } from '../error-details.ts'
import type { choiceImageSchema } from './choice-image.ts'
import { ASCENDING, CHECK, ref, schema, text, type ValueOf, WRONG } from './json-schema.ts'
import type { LanguageText } from './questionnaire.ts'
import { isPresent, isRecord, MAX_CODE_CHARACTERS, MAX_UID, under } from './walk.ts'

/** The schemas of what the settings of questions contain: choices, filters, the validation of a text. */

/** Maximum number of attributes of a choice. */
const MAX_ATTRIBUTES = 20
/** Maximum number of characters of the name of an attribute, and of its value. */
export const MAX_ATTRIBUTE_CHARACTERS = 200
/** Maximum number of values of one attribute. */
export const MAX_ATTRIBUTE_VALUES = 100

const attributeValue = [{ type: 'string', maxLength: MAX_ATTRIBUTE_CHARACTERS }, { type: 'number' }] as const

/** The JSON Schema of the attributes of a choice: names with a text, a number, or a list of them. */
const attributes = schema({
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
})

/** Reports whether a value is the name of an attribute. */
export const isAttributeName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ATTRIBUTE_CHARACTERS

const isValue = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ATTRIBUTE_CHARACTERS)

export const uid = schema({
  type: 'integer',
  minimum: 0,
  maximum: MAX_UID,
  description: 'Number under which answers are stored. Do not change it; omit it for a new choice or row.',
})

export const code = schema({
  type: 'string',
  maxLength: MAX_CODE_CHARACTERS,
  pattern: String.raw`\S`,
  description: 'Name of the choice, column or row in exports, filters and conditions. Unique in its list.',
  examples: ['yes'],
})

export const choiceFilter = schema({
  type: 'object',
  description: 'An earlier question whose answer filters the choices.',
  required: ['question', 'attribute'],
  properties: {
    question: { type: 'string', description: 'ID or identifier of the earlier question.' },
    attribute: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_ATTRIBUTE_CHARACTERS,
      description: 'Name of the attribute of the choices that is compared with the answer.',
    },
  },
  examples: [{ question: '', attribute: 'country' }],
})

export const choice = schema({
  type: 'object',
  description: 'A choice of a question, or a column of a grid.',
  required: ['label'],
  properties: {
    label: text('Label of the choice.'),
    score: {
      anyOf: [{ type: 'number' }, { type: 'string' }],
      description: 'Score of the choice. Default: its position, counted from 1.',
      // In old surveys a score is a string, which is empty if the choice has no score.
      [CHECK](errors, pointer, value) {
        if (!Number.isFinite(typeof value === 'string' ? Number(value) : value)) errors.addType(pointer, 'type_number')
      },
    },
    other: { type: 'boolean', description: 'Shows a text box next to the choice.' },
    exclusive: { type: 'boolean', description: 'Cannot be selected together with other choices.' },
    attributes,
    code,
    uid,
  },
  examples: [{ label: '' }],
  [WRONG]: 'type_choice',
})

const { other: _, ...imageChoiceMembers } = choice.properties
export const imageChoice = schema({
  ...choice,
  description: 'A choice with an image. Without one, its label is shown alone.',
  properties: { ...imageChoiceMembers, image: ref('ChoiceImage') },
})

/** Maximum weight of a group. */
export const MAX_WEIGHT = 1000

export const groupChoice = schema({
  type: 'object',
  description: 'A group to which respondents are assigned.',
  required: ['label'],
  properties: {
    label: text('Name of the group.'),
    weight: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_WEIGHT,
      description: 'Share of the respondents, compared with the other groups. Default: 1.',
      examples: [2],
    },
    code,
    uid,
  },
  examples: [{ label: '' }],
  [WRONG]: 'type_choice',
})

export const textValidation = schema({
  type: 'object',
  description: 'Format and limits of a text.',
  properties: {
    kind: {
      type: 'string',
      enum: ['email', 'integer', 'number', 'url', 'phone', 'letters'],
      description: 'Format of the text.',
    },
    min: { type: 'number', description: 'Minimum value.' },
    max: { type: 'number', description: 'Maximum value.' },
    minLength: { type: 'integer', minimum: 0, description: 'Minimum number of characters.' },
    maxLength: { type: 'integer', minimum: 0, description: 'Maximum number of characters.' },
    message: text('Error message shown instead of the default one.'),
  },
  [ASCENDING]: [
    ['min', 'max'],
    ['minLength', 'maxLength'],
  ],
})

/** The types of the named schemas to which settings refer, in a structure in full form. */
export interface SettingTypes {
  Text: LanguageText
  StructureChoice: StructureChoice
  ImageChoice: StructureChoice
  GroupChoice: StructureChoice
  ChoiceFilter: ValueOf<typeof choiceFilter, SettingTypes>
  ChoiceImage: ValueOf<typeof choiceImageSchema, SettingTypes>
  TextValidation: TextValidation
}

export type TextValidation = ValueOf<typeof textValidation, SettingTypes>

/** A choice of a question, or a column of a grid. One of a question that was stored before its type existed lacks any. */
export type StructureChoice = Partial<
  ValueOf<typeof choice, SettingTypes> &
    Pick<ValueOf<typeof imageChoice, SettingTypes>, 'image'> &
    Pick<ValueOf<typeof groupChoice, SettingTypes>, 'weight'>
>
