import { detail } from '../domain/error-details.ts'
import { text } from '../domain/structure/json-schema.ts'
import { MAX_DECIMALS } from '../domain/structure/number.ts'
import { questionType } from './question-type.ts'
import { limitsOf, numberIn, unitOf, value } from './settings.ts'

/** Maximum number of numbers that a question accepts beside its limits. */
export const MAX_ALSO = 20

/** A whole or decimal number. */
export const number = questionType({
  idname: 'number',
  optionTypes: ['number'],
  fieldType: 'decimal',
  settings: {
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
  checkSettings({ errors, setting, pointerOf }) {
    const [min, max] = [numberIn(setting('min')), numberIn(setting('max'))]
    if (min !== undefined && max !== undefined && min > max)
      errors.add(pointerOf('min'), 'too_large', { max }, detail('above_member', { member: 'max' }))
  },
  compileSettings: ({ min, max, also = [], unit, decimals = 0 }) => ({
    ...limitsOf({ min, max }),
    ...(also.length > 0 && { also }),
    ...unitOf({ unit }),
    decimals,
  }),
  seconds: [5, 0],
})
