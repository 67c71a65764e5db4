import type { ValueError } from '../domain/field-error.ts'
import { ANSWER_REQUIRED, answerError } from '../domain/structure/answer-error.ts'
import { text } from '../domain/structure/json-schema.ts'
import { MAX_DECIMALS } from '../domain/structure/number.ts'
import type { Answer, Field, Question } from '../domain/structure/questionnaire.ts'
import { questionType } from './question-type.ts'
import { numberIn, unitOf } from './settings.ts'

const TOTAL = { min: 1, max: 1_000_000_000, default: 100 } as const

/** A total, such as 100 points, that respondents distribute over rows. A blank row is 0 if another row has a number. */
export const constantSum = questionType({
  idname: 'constant-sum',
  optionTypes: ['number'],
  fieldType: 'decimal',
  grid: true,
  joinedRows: true,
  settings: {
    total: {
      type: 'number',
      minimum: TOTAL.min,
      maximum: TOTAL.max,
      description: `The number that respondents distribute. Default: ${TOTAL.default}.`,
    },
    partial: {
      type: 'boolean',
      description: 'Respondents can distribute less than the total. Default: the numbers must add up to the total.',
    },
    decimals: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_DECIMALS,
      description: 'Maximum number of decimal places. Default: 0, whole numbers.',
    },
    unit: text('Unit, shown next to each field, such as points.'),
  },
  checkSettings({ errors, setting, pointerOf }) {
    const [total, decimals] = [numberIn(setting('total')) ?? TOTAL.default, numberIn(setting('decimals')) ?? 0]
    // `toFixed` accepts up to 100 decimal places.
    if (decimals < 0 || decimals > MAX_DECIMALS || rounded(total, decimals) === total) return
    if (decimals === 0) errors.add(pointerOf('total'), 'not_an_integer')
    else errors.add(pointerOf('total'), 'too_many_decimals', { max: decimals })
  },
  compileSettings({ total = TOTAL.default, decimals = 0, partial = false, unit }) {
    const max = Math.min(TOTAL.max, Math.max(TOTAL.min, total))
    return { min: 0, max, decimals: Math.min(MAX_DECIMALS, Math.max(0, decimals)), partial, ...unitOf({ unit }) }
  },
  countCells: (_, rows) => rows,
  checkAnswers,
  impliedAnswers(question, answerTo) {
    const isValid = numbersOf(question, answerTo).length > 0 && !checkAnswers(question, answerTo)
    const blank = isValid ? question.fields.filter((field) => answerTo(field) === undefined) : []
    return Object.fromEntries(blank.map(({ key }) => [key, 0]))
  },
  sampleAnswers({ fields, max: total = TOTAL.default, decimals }, random) {
    const weights = fields.map(() => random())
    const weight = weights.reduce((sum, one) => sum + one, 0)
    const shares = weights.map((one) => Math.floor((total * one) / (weight || 1)))
    const rest = rounded(total - sumOf(shares, 0), decimals)
    return Object.fromEntries(fields.map(({ key }, index) => [key, index === 0 ? shares[0]! + rest : shares[index]!]))
  },
  seconds: [3, 5],
})

/** Returns the error of numbers that do not add up. */
function checkAnswers(question: Question, answerTo: (field: Field) => Answer | undefined): ValueError | undefined {
  const { max: total = TOTAL.default, partial, required, decimals } = question
  const numbers = numbersOf(question, answerTo)
  if (numbers.length === 0) return required ? ANSWER_REQUIRED : undefined
  const sum = sumOf(numbers, decimals)
  if (partial) return sum > total ? answerError('sum_too_large', { sum, max: total }) : undefined
  return sum === total ? undefined : answerError('wrong_sum', { sum, total })
}

const numbersOf = ({ fields }: Question, answerTo: (field: Field) => Answer | undefined): number[] =>
  fields.map(answerTo).filter((answer) => typeof answer === 'number')

const sumOf = (numbers: readonly number[], decimals: number | undefined): number =>
  rounded(
    numbers.reduce((sum, number) => sum + number, 0),
    decimals,
  )

/** Removes the rounding errors of a sum. */
const rounded = (number: number, decimals = 0): number => Number(number.toFixed(decimals))
