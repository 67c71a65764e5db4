import { type Expression, MAX_EXPRESSION_CHARACTERS, parseExpression } from '../domain/structure/expression.ts'
import { MAX_DECIMALS } from '../domain/structure/number.ts'
import { questionType } from './question-type.ts'

/** A number calculated from earlier answers. */
export const calculation = questionType({
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
  compileSettings({ expression: text, decimals = 2 }) {
    const expression = parsed(text)
    return { ...(expression && { expression }), decimals }
  },
  seconds: [0, 0],
})

function parsed(text: string | undefined): Expression | undefined {
  try {
    return text === undefined ? undefined : parseExpression(text)
  } catch {
    return undefined
  }
}
