import { isRecord, type Json } from '../../structure/walk.ts'
import { type Comparison, join, negated, type Resolve, ruleOf } from '../logic.ts'

/** Comparisons by the names that Qualtrics gives them. */
const OPERATORS: Readonly<Record<string, Comparison>> = {
  EqualTo: '=',
  NotEqualTo: '!=',
  GreaterThan: '>',
  GreaterThanOrEqual: '>=',
  LessThan: '<',
  LessThanOrEqual: '<=',
  Contains: 'contains',
  DoesNotContain: 'notcontains',
  Empty: 'empty',
  NotEmpty: 'notempty',
  Displayed: 'notempty',
}

/**
 * Converts display logic or branch logic: a list of lists of expressions.
 * @param resolve finds a question by its ID, and embedded data by its name
 * @returns undefined for logic that cannot be converted
 */
export function conditionOf(logic: unknown, resolve: Resolve): Json | undefined {
  if (!isRecord(logic)) return undefined
  const groups = Object.values(logic).filter(isRecord)
  const converted = groups.map((group) =>
    joined(Object.values(group).filter(isRecord), (one) => expressionOf(one, resolve)),
  )
  return groups.length === 0 ? undefined : combine(groups, converted)
}

/** Joins expressions: `and` binds more strongly than `or`. */
function joined(list: readonly Json[], convert: (one: Json) => Json | undefined): Json | undefined {
  return list.length === 0 ? undefined : combine(list, list.map(convert))
}

function combine(list: readonly Json[], converted: readonly (Json | undefined)[]): Json | undefined {
  const alternatives: (Json | undefined)[][] = []
  for (const [index, one] of list.entries()) {
    const conjunction = String(one.Conjuction ?? one.Conjunction ?? one.Type ?? '')
    if (index === 0 || /^or|orif/i.test(conjunction)) alternatives.push([converted[index]])
    else alternatives.at(-1)!.push(converted[index])
  }
  return join(
    'any',
    alternatives.map((all) => join('all', all)),
  )
}

function expressionOf(expression: Json, resolve: Resolve): Json | undefined {
  const { LogicType, Operator, LeftOperand, RightOperand } = expression
  const op = String(Operator)
  const value = RightOperand === undefined || RightOperand === null ? '' : String(RightOperand)
  if (LogicType === 'EmbeddedField') {
    const compared = OPERATORS[op]
    return compared && ruleOf(resolve(`e:${String(LeftOperand)}`), compared, value)
  }
  if (LogicType !== 'Question') return undefined
  const locator = String(expression.ChoiceLocator ?? LeftOperand ?? '')
  const [, id = '', kind = '', choice = '', answer] =
    /^q:\/\/(QID\w+(?:#\d+)?)\/([A-Za-z]+)(?:\/(\w+))?(?:\/(\w+))?/.exec(locator) ?? []
  if (op === 'Selected' || op === 'NotSelected') {
    // A row of a matrix has a number of its own; its value is that of the column.
    const rule =
      answer === undefined
        ? ruleOf(resolve(id), '=', `id:${choice}`)
        : ruleOf(resolve(`${id}/${choice}`), '=', `id:${answer}`)
    return op === 'Selected' ? rule : negated(rule)
  }
  const compared = OPERATORS[op]
  if (!compared || !/^(?:ChoiceTextEntryValue|ChoiceNumericEntryValue|QuestionDisplayed|ChoiceValue)$/.test(kind))
    return undefined
  return ruleOf(resolve(choice === '' ? id : `${id}/${choice}`) ?? resolve(id), compared, value)
}

/** Returns a language code: `PT-BR` is `pt-BR`, `ZH-S` is `zh-Hans`. */
export function languageCode(code: string): string {
  const [language = 'en', region] = code.split(/[-_]/)
  if (language.toUpperCase() === 'ZH' && /^[ST]$/i.test(region ?? ''))
    return /^s$/i.test(region!) ? 'zh-Hans' : 'zh-Hant'
  return /^[A-Za-z]{2,3}$/.test(language)
    ? `${language.toLowerCase()}${/^[A-Za-z]{2}$/.test(region ?? '') ? `-${region!.toUpperCase()}` : ''}`
    : 'en'
}
