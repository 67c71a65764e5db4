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
  description: 'The number by which answers are stored: leave it as it is, and leave it out for what is new.',
}

const choice: Schema = {
  type: 'object',
  required: ['label'],
  properties: {
    label: text('What the respondent reads.'),
    score: { type: ['number', 'string'], description: 'What the choice counts; its position from 1 unless given.' },
    other: { type: 'boolean', description: 'Offers a text box beside the choice.' },
    exclusive: { type: 'boolean', description: 'Cannot be combined with others.' },
    uid,
  },
  examples: [{ label: '' }],
}

const validation: Schema = {
  type: 'object',
  description: 'What the text has to be.',
  properties: {
    kind: { enum: validationKinds },
    min: { type: 'number', description: 'The least number.' },
    max: { type: 'number', description: 'The greatest number.' },
    minLength: { type: 'integer', minimum: 0, description: 'The fewest characters.' },
    maxLength: { type: 'integer', minimum: 0, description: 'The most characters.' },
    message: text('What the respondent is told instead of our own words.'),
  },
}

const required: Schema = { type: 'boolean', description: 'Nobody gets on without an answer.' }
const randomize: Schema = {
  type: 'boolean',
  description: 'Shows the choices in an order of its own to each respondent.',
}
const choices: Schema = {
  type: 'array',
  items: choice,
  description: 'What can be chosen. Answers show positions from 0.',
}
const bounds: Record<string, Schema> = {
  minSelected: { type: 'integer', minimum: 0, description: 'The fewest that have to be chosen.' },
  maxSelected: { type: 'integer', minimum: 1, description: 'The most that may be chosen.' },
}

const lines: Record<string, Schema> = {
  lines: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LINES,
    examples: [5],
    description: 'How many lines are shown to write in; 1 unless given. In one line there are no line breaks.',
  },
  appearance: {
    type: 'string',
    examples: ['full'],
    description: 'As the original service writes it: full is a text of several lines, anything else of one.',
  },
}

/** Settings of single question types. */
const special: { readonly [Kind in QuestionKind]?: Readonly<Record<string, Schema>> } = {
  'text-response': { ...lines, validation },
  'text-response-grid': lines,
  'multiple-choice': bounds,
  ranking: bounds,
  'boolean-choice': { choices },
  datetime: { format: { enum: ['datetime', 'date', 'time'], description: 'What is asked for.' } },
  'hidden-field': {
    default: { type: ['string', 'number', 'boolean'], description: 'Where the address says nothing.' },
  },
  'net-promoter': { leftLabel: text('Stands at 0.'), rightLabel: text('Stands at 10.') },
}

/** Returns the members specific to a question type: its settings, and its option object or rows. */
export function settingsFor(kind: Exclude<QuestionKind, 'unknown'>, shape: KindShape): Schema {
  const { option, grid } = shape
  if (!option) return { properties: { children: { type: 'array', description: 'Stays empty.' } } }
  const settings: Record<string, Schema> = {
    ...(kind !== 'hidden-field' && { required }),
    ...(shape.choices && { choices, randomize }),
    ...special[kind],
  }
  const type: Schema = { type: 'string', examples: [option] }
  const child: Schema = grid
    ? {
        type: 'object',
        properties: { type, label: text('The row.'), required, uid },
        examples: [{ type: option, label: '' }],
      }
    : { type: 'object', properties: { type, ...settings }, examples: [{ type: option }] }
  const description = grid ? 'The rows.' : 'One object with the settings of the question.'
  return { properties: { ...settings, children: { type: 'array', items: child, description } } }
}
