import { isDayLimit } from './day-limit.ts'
import { type Expression, parseExpression } from './expression.ts'
import { FILE_LIMITS, fileGroupsOf, SIGNATURE_MEGABYTES } from './file-answer.ts'
import { deepFreeze } from './freeze.ts'
import { SLIDER } from './kind-settings.ts'
import { textOf } from './language-text.ts'
import type { Question, QuestionKind } from './questionnaire.ts'
import { settingOf } from './setting.ts'
import { arrayOf, type Json } from './walk.ts'

function expressionOf(text: unknown): Expression | undefined {
  try {
    return typeof text === 'string' ? parseExpression(text) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the compiled settings of the question types of kind-settings.ts. Invalid values are ignored: a question that
 * was stored before its type existed can have any value.
 */
export function compileKindSettings(kind: QuestionKind, source: Json): Partial<Question> {
  const number = (name: string): number | undefined => {
    const value = settingOf(source, name)
    return typeof value === 'number' ? value : undefined
  }
  const limits = (defaults: { min?: number; max?: number }): Partial<Question> => {
    const { min = defaults.min, max = defaults.max } = { min: number('min'), max: number('max') }
    return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
  }
  const unit = settingOf(source, 'unit')
  const withUnit = unit ? { unit: deepFreeze(textOf(unit)) } : {}
  switch (kind) {
    case 'email':
      return { validation: deepFreeze({ kind: 'email' }) }
    case 'calculation': {
      const expression = expressionOf(settingOf(source, 'expression'))
      return { ...(expression && { expression: deepFreeze(expression) }), decimals: number('decimals') ?? 2 }
    }
    case 'consent': {
      const [statement, version] = [settingOf(source, 'statement'), settingOf(source, 'version')]
      return {
        ...(statement ? { statement: deepFreeze(textOf(statement)) } : {}),
        ...(typeof version === 'string' && version !== '' && { version }),
      }
    }
    case 'file-upload':
      return {
        maxFiles: number('maxFiles') ?? 1,
        maxSize: number('maxSize') ?? FILE_LIMITS.defaultSize,
        fileTypes: deepFreeze(fileGroupsOf(settingOf(source, 'fileTypes'))),
      }
    case 'signature':
      return { maxFiles: 1, maxSize: SIGNATURE_MEGABYTES, fileTypes: deepFreeze(['image']) }
    case 'image-choice':
      return { multiple: settingOf(source, 'multiple') === true }
    case 'datetime': {
      const [earliest, latest] = [settingOf(source, 'earliest'), settingOf(source, 'latest')]
      return { ...(isDayLimit(earliest) && { earliest }), ...(isDayLimit(latest) && { latest }) }
    }
    case 'number': {
      const also = arrayOf(settingOf(source, 'also')).filter((value) => typeof value === 'number')
      const beside = also.length > 0 ? { also: deepFreeze(also) } : {}
      return { ...limits({}), ...beside, ...withUnit, decimals: number('decimals') ?? 0 }
    }
    case 'slider': {
      const step = number('step') ?? SLIDER.step
      return { ...limits(SLIDER), ...withUnit, step: step > 0 ? step : SLIDER.step }
    }
    default:
      return {}
  }
}
