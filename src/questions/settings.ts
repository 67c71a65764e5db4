import { ref, type Schema } from '../domain/structure/json-schema.ts'
import { textOf } from '../domain/structure/language-text.ts'
import { MAX_NUMBER } from '../domain/structure/number.ts'
import type { Question } from '../domain/structure/questionnaire.ts'
import type { Settings } from './question-type.ts'

/** Settings that several question types have, as JSON Schema, and the functions that compile them. */

/** Maximum number of choices of a question, or of rows of a grid. */
export const MAX_CHOICES = 1000
/** Maximum number of earlier questions that filter the choices of one question. */
export const MAX_FILTERS = 10
/** Maximum number of visible lines of a text box. */
export const MAX_LINES = 50

export const required: Schema = { type: 'boolean', description: 'Respondents must answer before they can continue.' }
export const randomize: Schema = {
  type: 'boolean',
  description: 'Shows the choices to each respondent in a different random order.',
}

export const choices: Schema = {
  type: 'array',
  items: ref('StructureChoice'),
  maxItems: MAX_CHOICES,
  description: 'The choices. An answer contains the positions of the selected choices, counted from 0.',
}

export const bounds: Readonly<Record<string, Schema>> = {
  minSelected: { type: 'integer', minimum: 0, description: 'Minimum number of choices.' },
  maxSelected: { type: 'integer', minimum: 1, description: 'Maximum number of choices.' },
}

export const choiceFilter: Readonly<Record<string, Schema>> = {
  choiceFilter: {
    type: 'array',
    items: ref('ChoiceFilter'),
    maxItems: MAX_FILTERS,
    description:
      'Shows only choices whose attributes match the answers to all of these questions. A choice without the attribute is always shown. If no choice is left, the question is not shown.',
  },
}

export const lines: Readonly<Record<string, Schema>> = {
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
}

/** Returns the schema of a number that an answer can be. */
export const value = (description: string): Schema => ({
  type: 'number',
  minimum: -MAX_NUMBER,
  maximum: MAX_NUMBER,
  description,
})

/** Returns a setting that is a number; undefined for any other value. */
export function numberIn(setting: Settings, name: string): number | undefined {
  const number = setting(name)
  return typeof number === 'number' ? number : undefined
}

/** Returns the limits of a number. */
export function limitsIn(setting: Settings, defaults: { min?: number; max?: number } = {}): Partial<Question> {
  const [min, max] = [numberIn(setting, 'min') ?? defaults.min, numberIn(setting, 'max') ?? defaults.max]
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

/** Returns the text next to a number. */
export function unitIn(setting: Settings): Partial<Question> {
  const unit = setting('unit')
  return unit ? { unit: textOf(unit) } : {}
}
