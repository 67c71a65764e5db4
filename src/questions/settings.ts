import { ref, schema, schemas } from '../domain/structure/json-schema.ts'
import { textOf } from '../domain/structure/language-text.ts'
import { MAX_NUMBER } from '../domain/structure/number.ts'
import type { LanguageText, Question } from '../domain/structure/questionnaire.ts'

/** Settings that several question types have, as JSON Schema, and the functions that compile them. */

/** Maximum number of choices of a question, or of rows of a grid. */
export const MAX_CHOICES = 1000
/** Maximum number of earlier questions that filter the choices of one question. */
export const MAX_FILTERS = 10
/** Maximum number of visible lines of a text box. */
export const MAX_LINES = 50

/** Settings that the service adds to those of a question type: `choices` and `randomize` if it must have choices. */
export const sharedSettings = schemas({
  required: { type: 'boolean', description: 'Respondents must answer before they can continue.' },
  randomize: {
    type: 'boolean',
    description: 'Shows the choices to each respondent in a different random order.',
  },
  choices: {
    type: 'array',
    items: ref('StructureChoice'),
    maxItems: MAX_CHOICES,
    description: 'The choices. An answer contains the positions of the selected choices, counted from 0.',
  },
})

/** Settings that old structures contain. The contract does not describe them. */
export const oldSettings = schemas({
  categories: { type: 'array', items: { type: 'object', properties: { choices: {} } } },
})
export const { choices } = sharedSettings

export const bounds = schemas({
  minSelected: { type: 'integer', minimum: 0, description: 'Minimum number of choices.' },
  maxSelected: { type: 'integer', minimum: 1, description: 'Maximum number of choices.' },
})

export const choiceFilter = schemas({
  choiceFilter: {
    type: 'array',
    items: ref('ChoiceFilter'),
    maxItems: MAX_FILTERS,
    description:
      'Shows only choices whose attributes match the answers to all of these questions. A choice without the attribute is always shown. If no choice is left, the question is not shown.',
  },
})

export const lines = schemas({
  lines: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LINES,
    examples: [5],
    description: 'Height of the text box in lines. Default: 1. A text box of one line does not accept line breaks.',
  },
  appearance: {
    type: 'string',
    examples: ['full'],
    description:
      'Used by older surveys instead of lines: full is a text box of several lines, any other value of one line.',
  },
})

/** Returns the schema of a number that an answer can be. */
export const value = (description: string) =>
  schema({ type: 'number', minimum: -MAX_NUMBER, maximum: MAX_NUMBER, description })

/** Returns a number unchanged; undefined for any other value. */
export const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Returns the text next to a number. */
export const unitOf = ({ unit }: { unit?: LanguageText | undefined }): Partial<Question> =>
  unit ? { unit: textOf(unit) } : {}

/** Returns the limits of a number that are present. */
export const limitsOf = ({ min, max }: { min?: number | undefined; max?: number | undefined }): Partial<Question> => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
})
