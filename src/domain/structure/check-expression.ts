import { detail } from '../error-details.ts'
import type { ConditionContext } from './check-condition.ts'
import { isPresent } from './check-member.ts'
import { fieldCountOf } from './cost.ts'
import { ExpressionError, operandsIn, parseExpression } from './expression.ts'
import type { FieldErrors } from './field-errors.ts'
import { shapeOf } from './kinds.ts'
import type { QuestionOutline } from './outline.ts'
import { optionOf, settingOf } from './setting.ts'

/** Checks that the expression of a calculation can be read and refers to earlier questions. */
export function checkExpression(
  errors: FieldErrors,
  { source, pointer, position }: QuestionOutline,
  { questionsByName, cost }: Pick<ConditionContext, 'questionsByName' | 'cost'>,
): void {
  const option = optionOf(source)
  const at =
    isPresent(option?.expression) || !isPresent(source.expression)
      ? option
        ? `${pointer}/children/0`
        : pointer
      : pointer
  const text = settingOf(source, 'expression')
  if (!isPresent(text)) errors.add(`${at}/expression`, 'required')
  if (typeof text !== 'string') return
  try {
    const operands = operandsIn(parseExpression(text))
    const countOf = (name: string | undefined) => {
      const question = name === undefined ? undefined : questionsByName.get(name)
      return question ? fieldCountOf(question, name!) : 1
    }
    cost.addCalculation(
      `${at}/expression`,
      operands.reduce((sum, name) => sum + countOf(name), 0),
    )
    for (const name of new Set(operands.filter((name) => name !== undefined))) {
      const question = questionsByName.get(name)
      if (!question) errors.add(`${at}/expression`, 'unknown_question', { value: name.slice(0, 60).toWellFormed() })
      else if (!shapeOf(question.kind)?.fieldType)
        errors.add(`${at}/expression`, 'not_answerable', {}, detail('not_answerable_question'))
      else if (question.position >= position)
        errors.add(`${at}/expression`, 'out_of_reach', {}, detail('earlier_questions', { value: name.slice(0, 60) }))
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    errors.add(`${at}/expression`, 'invalid_expression', {}, error.detail)
  }
}
