import { type Expression, MAX_EXPRESSION_CHARACTERS, parseExpression } from '../domain/structure/expression.ts'
import { MAX_DECIMALS } from '../domain/structure/number.ts'
import type { QuestionType } from './question-type.ts'
import { numberIn } from './settings.ts'

/** A number calculated from earlier answers. */
export const calculation: QuestionType<'calculation'> = {
  idname: 'calculation',
  optionTypes: ['calculation'],
  fieldType: 'decimal',
  answeredBy: 'calculation',
  settings: {
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
  newSettings: { expression: '0' },
  compileSettings(setting) {
    const expression = parsed(setting('expression'))
    return { ...(expression && { expression }), decimals: numberIn(setting, 'decimals') ?? 2 }
  },
  seconds: [0, 0],
}

function parsed(text: unknown): Expression | undefined {
  try {
    return typeof text === 'string' ? parseExpression(text) : undefined
  } catch {
    return undefined
  }
}
