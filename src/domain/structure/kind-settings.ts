import { detail } from '../error-details.ts'
import {
  between,
  boolean,
  type Check,
  isPresent,
  listOf,
  number,
  numbers,
  range,
  text as textCheck,
  upTo,
} from './check-member.ts'
import { checkImages } from './choice-image.ts'
import { DAY_LIMIT, isDayLimit, MAX_DAY_LIMIT_CHARACTERS } from './day-limit.ts'
import { MAX_EXPRESSION_CHARACTERS } from './expression.ts'
import { FILE_GROUPS, FILE_LIMITS } from './file-answer.ts'
import type { KnownKind } from './kinds.ts'
import { MAX_DECIMALS, MAX_NUMBER } from './number.ts'
import type { QuestionKind } from './questionnaire.ts'
import type { Schema } from './schema.ts'
import { text } from './schema-at.ts'
import { type FieldErrors, type Json, settingOf } from './walk.ts'

/** Maximum number of numbers that a question accepts beside its limits. */
export const MAX_ALSO = 20
/** Limits and default of the number of stars of a rating. */
export const RATING_STEPS = { min: 3, max: 10, default: 5 } as const
/** Default values of a slider. */
export const SLIDER = { min: 0, max: 100, step: 1 } as const
/** Maximum number of values of a slider. */
export const MAX_SLIDER_VALUES = 10_000

const value = (description: string): Schema => ({
  type: 'number',
  minimum: -MAX_NUMBER,
  maximum: MAX_NUMBER,
  description,
})

/**
 * The JSON Schema of each setting of a question type. The settings are checked with these schemas. The settings of the
 * thirteen oldest types are not here: schema-parts.ts describes them, and check-question.ts checks them in questions of
 * every type.
 */
export const kindSettings: { readonly [K in KnownKind]?: Readonly<Record<string, Schema>> } = {
  number: {
    min: value('Minimum value.'),
    max: value('Maximum value.'),
    also: {
      type: 'array',
      items: value('A number.'),
      maxItems: MAX_ALSO,
      uniqueItems: true,
      examples: [[999]],
      description: 'Numbers outside of the limits that are accepted as well, such as 999 for a refusal.',
    },
    decimals: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_DECIMALS,
      description: 'Maximum number of decimal places. Default: 0, whole numbers.',
    },
    unit: text('Unit, shown next to the field.'),
  },
  datetime: {
    earliest: {
      type: 'string',
      pattern: DAY_LIMIT,
      maxLength: MAX_DAY_LIMIT_CHARACTERS,
      examples: ['2026-01-31', 'today-7'],
      description: 'First day that is accepted: a date, `today`, or a number of days before or after it.',
    },
    latest: {
      type: 'string',
      pattern: DAY_LIMIT,
      maxLength: MAX_DAY_LIMIT_CHARACTERS,
      examples: ['2026-12-31', 'today'],
      description: 'Last day that is accepted: a date, `today`, or a number of days before or after it.',
    },
  },
  rating: {
    steps: {
      type: 'integer',
      minimum: RATING_STEPS.min,
      maximum: RATING_STEPS.max,
      description: `Number of stars. Default: ${RATING_STEPS.default}.`,
    },
    leftLabel: text('Label of one star.'),
    rightLabel: text('Label of the highest number of stars.'),
  },
  calculation: {
    expression: {
      type: 'string',
      maxLength: MAX_EXPRESSION_CHARACTERS,
      description:
        'What is calculated: numbers, earlier answers as `{{ id }}`, + - * /, comparisons, and the functions round, abs, min, max, sum, mean, count and if.',
    },
    decimals: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_DECIMALS,
      description: 'Number of decimal places of the result. Default: 2.',
    },
  },
  consent: {
    statement: text(
      'Text next to the checkbox. Default: “I agree”. It is stored with the answer, after title and description.',
    ),
    version: {
      type: 'string',
      maxLength: 100,
      description: 'Version of the statement, stored with the answer. Change it when you change the texts.',
    },
  },
  'file-upload': {
    maxFiles: {
      type: 'integer',
      minimum: 1,
      maximum: FILE_LIMITS.maxFiles,
      description: 'Maximum number of files. Default: 1.',
    },
    maxSize: {
      type: 'integer',
      minimum: 1,
      maximum: FILE_LIMITS.maxSize,
      description: `Maximum size of a file in megabytes. Default: ${FILE_LIMITS.defaultSize}. The server can have a lower limit.`,
    },
    fileTypes: {
      type: 'array',
      items: { type: 'string', enum: FILE_GROUPS },
      uniqueItems: true,
      description: 'Types of files that are accepted. Default: all of them.',
    },
  },
  'image-choice': {
    multiple: { type: 'boolean', description: 'Respondents can select several images.' },
  },
  slider: {
    min: value(`Lowest value. Default: ${SLIDER.min}.`),
    max: value(`Highest value. Default: ${SLIDER.max}.`),
    step: {
      type: 'number',
      minimum: 1e-10,
      maximum: MAX_NUMBER,
      description: `Distance between two values. Default: ${SLIDER.step}.`,
    },
    unit: text('Unit, shown next to the value.'),
    leftLabel: text('Label of the lowest value.'),
    rightLabel: text('Label of the highest value.'),
  },
}

/** Checks the first or last day of a date question. */
const dayLimit: Check = (errors, pointer, value) => {
  if (typeof value !== 'string') errors.addType(pointer, 'type_string')
  else if (!isDayLimit(value)) errors.add(pointer, 'invalid_format', {}, detail('day_limit'))
}

/** Returns the function that checks a setting with the given schema. */
function checkOf({ $ref, type, pattern, minimum, maximum, maxLength, items, maxItems }: Schema): Check {
  if ($ref) return textCheck
  if (pattern === DAY_LIMIT) return dayLimit
  if (type === 'boolean') return boolean
  if (type === 'array' && items?.enum) return listOf(items.enum as string[])
  if (type === 'array') return numbers(maxItems!, items!.minimum!, items!.maximum!)
  if (type === 'string') return upTo(maxLength!)
  if (type === 'integer') return between(minimum!, maximum!)
  return minimum === undefined ? number : range(minimum, maximum!)
}

/** Returns the check of each setting of a question type. */
export const settingChecks = (kind: KnownKind): Readonly<Record<string, Check>> =>
  Object.fromEntries(Object.entries(kindSettings[kind] ?? {}).map(([name, schema]) => [name, checkOf(schema)]))

/** Returns the settings of a question type that are texts in several languages. */
export const textSettings = (kind: QuestionKind): string[] =>
  kind === 'unknown'
    ? []
    : Object.entries(kindSettings[kind] ?? {}).flatMap(([name, { $ref }]) => ($ref === TEXT ? [name] : []))

const TEXT = text('').$ref

/**
 * Checks settings that depend on each other.
 * @param pointerOf returns the JSON pointer of a setting
 */
export function checkDependentSettings(
  errors: FieldErrors,
  kind: KnownKind,
  source: Json,
  pointerOf: (name: string) => string,
): void {
  if (kind === 'image-choice') checkImages(errors, pointerOf('choices'), settingOf(source, 'choices'))
  if (kind === 'datetime') {
    const [earliest, latest] = [settingOf(source, 'earliest'), settingOf(source, 'latest')]
    const isOrdered = [earliest, latest].every((day) => isDayLimit(day) && !day.startsWith('today'))
    if (isOrdered && String(earliest) > String(latest))
      errors.add(
        pointerOf('earliest'),
        'too_late',
        { max: String(latest) },
        detail('above_member', { member: 'latest' }),
      )
  }
  if (kind !== 'number' && kind !== 'slider') return
  const defaults: Json = kind === 'slider' ? SLIDER : {}
  const numberOf = (name: string) => {
    const own = settingOf(source, name)
    return (isPresent(own) ? own : defaults[name]) as number | undefined
  }
  const [min, max, step] = ['min', 'max', 'step'].map(numberOf)
  if (typeof min !== 'number' || typeof max !== 'number') return
  if (kind === 'number' && min > max)
    errors.add(pointerOf('min'), 'too_large', { max }, detail('above_member', { member: 'max' }))
  if (kind !== 'slider') return
  if (min >= max) {
    errors.add(pointerOf('min'), 'too_large', { max }, detail('minimum_below', { member: 'max' }))
    return
  }
  if (typeof step !== 'number' || step <= 0) return
  if (step > max - min) errors.add(pointerOf('step'), 'too_large', { max: max - min }, detail('step_distance'))
  else if ((max - min) / step > MAX_SLIDER_VALUES)
    errors.add(
      pointerOf('step'),
      'too_small',
      { min: (max - min) / MAX_SLIDER_VALUES },
      detail('slider_values', { max: MAX_SLIDER_VALUES.toLocaleString('en') }),
    )
}
