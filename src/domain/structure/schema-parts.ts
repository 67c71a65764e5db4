import { MAX_LINES } from './check-question.ts'
import type { KindShape } from './kinds.ts'
import type { QuestionKind } from './questionnaire.ts'
import type { Schema } from './schema.ts'
import { validationKinds } from './text-validation.ts'
import { MAX_UID } from './uid.ts'

/** A text in several languages. */
export const languageText: Schema = { type: 'object', additionalProperties: { type: 'string' } }

/** Returns the schema of a text: a plain string in the default language, or one string per language. */
export const text = (description: string): Schema => ({
  anyOf: [{ type: 'string' }, { $ref: '#/$defs/languageText' }],
  description,
})

const uid: Schema = {
  type: 'integer',
  minimum: 0,
  maximum: MAX_UID,
  description: 'Number under which answers are stored. Do not change it; omit it for a new choice or row.',
}

const choice: Schema = {
  type: 'object',
  required: ['label'],
  properties: {
    label: text('Label of the choice.'),
    score: { type: ['number', 'string'], description: 'Score of the choice. Default: its position, counted from 1.' },
    other: { type: 'boolean', description: 'Shows a text box next to the choice.' },
    exclusive: { type: 'boolean', description: 'Cannot be selected together with other choices.' },
    uid,
  },
  examples: [{ label: '' }],
}

const validation: Schema = {
  type: 'object',
  description: 'Format and limits of the text.',
  properties: {
    kind: { enum: validationKinds },
    min: { type: 'number', description: 'Minimum value.' },
    max: { type: 'number', description: 'Maximum value.' },
    minLength: { type: 'integer', minimum: 0, description: 'Minimum number of characters.' },
    maxLength: { type: 'integer', minimum: 0, description: 'Maximum number of characters.' },
    message: text('Error message shown instead of the default one.'),
  },
}

const required: Schema = { type: 'boolean', description: 'Respondents must answer before they can continue.' }
const randomize: Schema = {
  type: 'boolean',
  description: 'Shows the choices to each respondent in a different random order.',
}
const choices: Schema = {
  type: 'array',
  items: choice,
  description: 'The choices. An answer contains the positions of the selected choices, counted from 0.',
}
const bounds: Record<string, Schema> = {
  minSelected: { type: 'integer', minimum: 0, description: 'Minimum number of choices.' },
  maxSelected: { type: 'integer', minimum: 1, description: 'Maximum number of choices.' },
}

const lines: Record<string, Schema> = {
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

/** Settings that only some question types have. */
const settingsByKind: { readonly [Kind in QuestionKind]?: Readonly<Record<string, Schema>> } = {
  'text-response': { ...lines, validation },
  'text-response-grid': lines,
  'multiple-choice': bounds,
  ranking: bounds,
  'boolean-choice': { choices },
  datetime: {
    format: { enum: ['datetime', 'date', 'time'], description: 'Whether the answer is a date, a time or both.' },
  },
  'hidden-field': {
    default: { type: ['string', 'number', 'boolean'], description: 'Value used if the survey URL contains none.' },
  },
  'net-promoter': { leftLabel: text('Label of 0.'), rightLabel: text('Label of 10.') },
}

/** Returns the members specific to a question type: its settings, and its option object or rows. */
export function settingsFor(kind: Exclude<QuestionKind, 'unknown'>, shape: KindShape): Schema {
  const { optionType, grid } = shape
  if (!optionType) return { properties: { children: { type: 'array', description: 'Must be empty.' } } }
  const settings: Record<string, Schema> = {
    ...(kind !== 'hidden-field' && { required }),
    ...(shape.choices && { choices, randomize }),
    ...settingsByKind[kind],
  }
  const type: Schema = { type: 'string', examples: [optionType] }
  const child: Schema = grid
    ? {
        type: 'object',
        properties: { type, label: text('Label of the row.'), required, uid },
        examples: [{ type: optionType, label: '' }],
      }
    : { type: 'object', properties: { type, ...settings }, examples: [{ type: optionType }] }
  const description = grid ? 'The rows.' : 'A single object with the settings of the question.'
  return { properties: { ...settings, children: { type: 'array', items: child, description } } }
}
