import { codedChoices } from '../../../domain/structure/choices.ts'
import type { Condition, Rule } from '../../../domain/structure/questionnaire.ts'
import type { StructureCondition } from '../../../domain/structure/schema.ts'
import { compileChoices } from '../../../domain/structure/setting.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { codeOf, type Json } from '../../../domain/structure/walk.ts'
import { kindOf, typeOf } from '../../../questions/index.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize } from '../../layout/format.ts'
import { anyText, cardTitle, choicesOf, questionNamed } from './texts.ts'

/** Returns the texts of the operators that a form shows between the question and the value of a rule. */
export const operatorTexts: () => Readonly<Record<string, string>> = perLanguage(() => ({
  eq: t('is'),
  ne: t('is not'),
  lt: t('is less than'),
  gt: t('is more than'),
  contains: t('contains'),
  not_contains: t('does not contain'),
  answered: t('is answered'),
  unanswered: t('is not answered'),
}))

/**
 * Returns a rule as the clause after “if”. Each operator has a text for the whole clause and not only for the verb,
 * because some languages, such as German, put the verb at the end of the clause.
 */
function clauseOf(op: string, question: string, value: string): string {
  switch (op) {
    case 'eq':
      return t('{question} is {value}', { question, value })
    case 'ne':
      return t('{question} is not {value}', { question, value })
    case 'lt':
      return t('{question} is less than {value}', { question, value })
    case 'gt':
      return t('{question} is more than {value}', { question, value })
    case 'contains':
      return t('{question} contains {value}', { question, value })
    case 'not_contains':
      return t('{question} does not contain {value}', { question, value })
    case 'answered':
      return t('{question} is answered', { question })
    case 'unanswered':
      return t('{question} is not answered', { question })
    default:
      return `${question} ${op} ${value}`
  }
}

/** Maximum number of rules of a condition that its text contains. */
const MAX_SHOWN_PARTS = 20

/** A condition or a rule: a stored one, or one from a form. */
export type AnyCondition = StructureCondition | Condition | Rule

/** Returns a condition as the clause after “if”: `“Which drink?” is Tea and “Age” is more than 17`. */
export function conditionSummary(condition: AnyCondition, structure: Structure, code: string): string {
  if ('question' in condition) return ruleSummary(condition, structure, code)
  const [parts, word] = 'all' in condition ? [condition.all, t(' and ')] : [condition.any, t(' or ')]
  if (parts.length === 0) return 'all' in condition ? t('every rule is met') : t('no rule is met')
  const texts = parts.slice(0, MAX_SHOWN_PARTS).map((part: AnyCondition) => {
    const text = conditionSummary(part, structure, code)
    return parts.length > 1 && !('question' in part) ? `(${text})` : text
  })
  const more = parts.length - texts.length
  return [...texts, ...(more > 0 ? [pluralize(more, 'more rule')] : [])].join(word)
}

function ruleSummary(rule: Json, structure: Structure, code: string): string {
  const found = questionNamed(rule.question, structure)
  const coded = choicesWithCodes(rule, found?.question)
  const values =
    'answer' in rule
      ? [nameInRule({ question: rule.answer }, structure, code)]
      : [coded ?? rule.value].flat().map((value) => valueText(value, found?.question, code))
  return clauseOf(String(rule.op), nameInRule(rule, structure, code), values.join(', '))
}

/**
 * Returns the name of a rule's question for the clause: `“Which drink?”`. For a rule about the row of a grid, the name
 * includes the row.
 */
export function nameInRule(rule: Json, structure: Structure, code: string): string {
  const found = questionNamed(rule.question, structure)
  if (!found) return String(rule.question)
  const row = found.row === undefined ? '' : ` (${anyText(found.question.children[found.row]!.label, code)})`
  return t('“{title}”{row}', { title: cardTitle(found.question, structure, code), row })
}

/** Returns the positions of the choices that a rule names by their codes; undefined if it names none so. */
export function choicesWithCodes({ code }: Json, question: StructureQuestion | undefined): unknown {
  if (code === undefined || code === null || !question) return code ?? undefined
  const kind = kindOf(question.idname)
  const type = typeOf(kind)?.fieldType ?? 'string'
  const choices = codedChoices({ choices: compileChoices(kind, question), removed: [], type })
  const positionOf = (one: unknown) => {
    const index = choices.find((choice) => choice.code.trim() === String(one).trim())?.index
    return index === undefined ? one : type === 'boolean' ? index === 0 : index
  }
  return Array.isArray(code) ? code.map(positionOf) : positionOf(code)
}

function valueText(value: unknown, question: StructureQuestion | undefined, code: string): string {
  const choices = question ? choicesOf(question) : []
  if (typeOf(kindOf(question?.idname))?.yesNo && typeof value === 'boolean')
    return anyText(choices[value ? 0 : 1]?.label, code) || (value ? t('Yes') : t('No'))
  const at = typeof value === 'number' || /^\d+$/.test(String(value)) ? choices[Number(value)] : undefined
  const choice = at ?? choices.find((one) => typeof value === 'string' && codeOf(one)?.trim() === value.trim())
  return choice ? anyText(choice.label, code) : String(value)
}
