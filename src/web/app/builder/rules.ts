import { parseIsoDatetime } from '../../../domain/structure/datetime.ts'
import type { Condition, RuleOperator } from '../../../domain/structure/questionnaire.ts'
import { settingOf } from '../../../domain/structure/setting.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { codeOf, type Json } from '../../../domain/structure/walk.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { hasSetting, kindOf, typeOf } from '../../../questions/index.ts'
import { type FormFields, formValue } from '../../forms/form-fields.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import {
  type AnyCondition,
  choicesWithCodes,
  conditionSummary,
  nameInRule,
  operatorTexts,
} from './condition-summary.ts'
import { anyText, choicesOf, questionNamed, titleOfQuestion } from './texts.ts'

/** Maximum number of rules that a form can contain. A condition with more rules can be edited as JSON. */
export const MAX_FORM_RULES = 100

/** The parts of a condition (rules and groups of rules), and whether all or any of them must be met. */
interface Rules {
  match: 'all' | 'any'
  parts: readonly AnyCondition[]
}

/** Returns the parts of a stored condition; an empty list of parts if there is no condition. */
export function rulesOf(condition: AnyCondition | null | undefined): Rules {
  if (!condition) return { match: 'all', parts: [] }
  if ('question' in condition) return { match: 'all', parts: [condition] }
  return 'any' in condition ? { match: 'any', parts: condition.any } : { match: 'all', parts: condition.all }
}

/** A question, or a row of a grid question, whose answer a rule can test. */
interface RuleSubject {
  /** The name by which rules refer to the answer. */
  name: string
  label: string
  question: StructureQuestion
}

/**
 * Returns the subjects of the given questions. A grid has one subject for each row, and any other question has one
 * subject. Leaves out questions that accept no answer, such as headings.
 */
export function subjectsOf(questions: readonly StructureQuestion[], code: string): RuleSubject[] {
  return questions.flatMap((question) => {
    const shape = typeOf(kindOf(question.idname))
    if (!shape?.fieldType) return []
    const title = titleOfQuestion(question, code)
    if (!shape.grid) return [{ name: question.id, label: title, question }]
    return question.children.map((row, index) => ({
      name: `${question.id}_${index}`,
      label: `${title}: ${anyText(row.label, code)}`,
      question,
    }))
  })
}

const PRESENCE: readonly RuleOperator[] = ['answered', 'unanswered']

/** Returns the operators that a rule about a question can have. */
function operatorsOf({ idname }: StructureQuestion): readonly RuleOperator[] {
  const kind = kindOf(idname)
  const { fieldType, incomparable } = typeOf(kind) ?? {}
  if (incomparable) return PRESENCE
  switch (fieldType) {
    case 'single':
      return hasSetting(kind, 'multiple')
        ? ['eq', 'ne', 'contains', 'not_contains', ...PRESENCE]
        : ['eq', 'ne', ...PRESENCE]
    case 'boolean':
      return ['eq', 'ne', ...PRESENCE]
    case 'multi':
      return ['contains', 'not_contains', ...PRESENCE]
    case 'number':
    case 'decimal':
    case 'datetime':
      return ['eq', 'ne', 'lt', 'gt', ...PRESENCE]
    default:
      return ['eq', 'ne', 'contains', 'not_contains', 'lt', 'gt', ...PRESENCE]
  }
}

/** Returns the values among which the author chooses; undefined if the author types the value of the rule. */
export function valuesOf(question: StructureQuestion, code: string): { value: string; label: string }[] | undefined {
  const choices = choicesOf(question)
  if (typeOf(kindOf(question.idname))?.yesNo)
    return ['true', 'false'].map((value, index) => ({
      value,
      label: anyText(choices[index]?.label, code) || [t('Yes'), t('No')][index]!,
    }))
  if (!typeOf(kindOf(question.idname))?.choices) return undefined
  return choices.map(({ label }, index) => ({
    value: String(index),
    label: anyText(label, code) || t('Choice {index}', { index: index + 1 }),
  }))
}

/** What an author types as the value of a rule, by the answers of its question. */
type EnteredValue = 'text' | 'number' | 'datetime' | 'date' | 'time'

/** Returns what the value of a rule about a question is, if the author types it. */
function enteredValueOf(question: StructureQuestion): EnteredValue {
  const { fieldType } = typeOf(kindOf(question.idname)) ?? {}
  if (fieldType === 'datetime') {
    const format = settingOf(question, 'format')
    return format === 'date' || format === 'time' ? format : 'datetime'
  }
  return fieldType === 'decimal' || fieldType === 'number' ? 'number' : 'text'
}

/** Reports whether a text is what a rule needs as its value. */
function isEnteredValue(text: string, of: EnteredValue): boolean {
  switch (of) {
    case 'number':
      return DECIMAL.test(text)
    case 'time':
      return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text)
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text) && parseIsoDatetime(text) !== undefined
    case 'datetime':
      return parseIsoDatetime(text) !== undefined
    default:
      return true
  }
}

/** Returns an error for each rule whose value cannot be compared with the answers of its question. */
export function valueErrors(condition: Condition | null, structure: Structure): string[] {
  return rulesOf(condition).parts.flatMap((part, index) => {
    const editable = editableRule(part, structure)
    if (!editable || PRESENCE.includes(editable.rule.op as RuleOperator) || valuesOf(editable.question, '')) return []
    const of = enteredValueOf(editable.question)
    if (of === 'text' || isEnteredValue(String(editable.rule.value ?? ''), of)) return []
    const number = index + 1
    if (of === 'number') return [t('The value of rule {number} must be a number.', { number })]
    return of === 'time'
      ? [t('The value of rule {number} must be a time, such as 14:30.', { number })]
      : [t('The value of rule {number} must be a date, such as 2026-01-31.', { number })]
  })
}

/**
 * Returns the rule if the form can edit it; undefined for a group of rules, or for a rule that authors can edit only as
 * JSON.
 */
function editableRule(
  part: AnyCondition,
  structure: Structure,
): { rule: Json; question: StructureQuestion } | undefined {
  if (!('question' in part) || Array.isArray(part.value) || Array.isArray(part.code) || 'answer' in part)
    return undefined
  const found = questionNamed(part.question, structure)
  return found && { rule: part, question: found.question }
}

/** Returns a new rule about the answer of a subject. */
export function newRule({ name, question }: RuleSubject): Json {
  const [op] = operatorsOf(question)
  const values = valuesOf(question, '')
  if (op === 'answered' || !values) return { question: name, op: 'answered' }
  return { question: name, op, value: parseValue(values[0]?.value ?? '', question) }
}

const DECIMAL = /^-?\d{1,15}([.,]\d{1,10})?$/

/**
 * Converts the value in the form to the value that a rule stores: the position of a choice, a boolean, a number or a
 * text.
 */
function parseValue(text: string, question: StructureQuestion): string | number | boolean {
  const kind = kindOf(question.idname)
  if (typeOf(kind)?.yesNo) return text === 'true'
  const { choices, fieldType } = typeOf(kind) ?? {}
  if (fieldType === 'decimal' && DECIMAL.test(text.trim())) return Number(text.trim().replace(',', '.'))
  const isIndex = choices || fieldType === 'number'
  return isIndex && /^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim()
}

/**
 * Returns the condition in a form; null if it has no rules. Copies groups of rules, and rules that the form cannot
 * edit, from the stored condition. If the stored condition has too many rules for a form, returns the stored condition
 * unchanged.
 * @param before the stored condition
 */
export function parseRules(
  form: FormFields,
  before: AnyCondition | null | undefined,
  structure: Structure,
): Condition | null {
  const stored = rulesOf(before).parts
  if (stored.length > MAX_FORM_RULES) return before as Condition
  const removed = /^remove\.(\d+)$/.exec(formValue(form, 'do') ?? '')?.[1]
  const parts: unknown[] = []
  for (let index = 0; index < MAX_FORM_RULES; index += 1) {
    const was = formValue(form, `rule.${index}.was`)
    if (was === undefined) break
    const part = stored[Number(was)]
    if (part === undefined || String(index) === removed) continue
    const editable = editableRule(part, structure)
    parts.push(editable ? ruleIn(form, index, editable) : part)
  }
  const added = formValue(form, 'add')
  const questions = structure.form.flatMap(({ children }) => children)
  const subject = added ? subjectsOf(questions, '').find(({ name }) => name === added) : undefined
  if (subject && parts.length < MAX_FORM_RULES) parts.push(newRule(subject))
  if (parts.length === 0) return null
  return (formValue(form, 'match') === 'any' ? { any: parts } : { all: parts }) as Condition
}

function ruleIn(
  form: FormFields,
  index: number,
  { rule, question }: { rule: Json; question: StructureQuestion },
): Json {
  const op = formValue(form, `rule.${index}.op`) ?? String(rule.op)
  const { value: _, code: __, ...rest } = rule
  if (op === 'answered' || op === 'unanswered') return { ...rest, op }
  const entered = formValue(form, `rule.${index}.value`) ?? ''
  // A value that the author did not change keeps its type: for example, the text "1" does not become the number 1.
  if (String(shownValue(rule, question) ?? '') === entered) {
    const unchanged = ['value', 'code'].filter((member) => member in rule).map((member) => [member, rule[member]])
    if (unchanged.length > 0) return { ...rest, op, ...Object.fromEntries(unchanged) }
  }
  return { ...rest, op, value: parseValue(entered, question) }
}

/** Returns the value of a rule as the form shows it: the position of a choice that the rule names by its code. */
function shownValue(rule: Json, question: StructureQuestion): unknown {
  const value = choicesWithCodes(rule, question) ?? rule.value
  const index =
    typeof value === 'string' ? choicesOf(question).findIndex((choice) => codeOf(choice)?.trim() === value.trim()) : -1
  const isPosition = typeof value === 'string' && /^\d{1,9}$/.test(value) && choicesOf(question)[Number(value)]
  if (index === -1 || isPosition) return value
  return typeOf(kindOf(question.idname))?.yesNo ? index === 0 : index
}

/** Returns the first words of the sentence that the rules complete. */
const VERBS: () => Readonly<Record<'question' | 'page' | 'skip' | 'quota', string>> = perLanguage(() => ({
  page: t('Show this page'),
  question: t('Show this question'),
  skip: t('Apply this skip'),
  quota: t('Count responses'),
}))

/**
 * Renders the rules of a condition. Groups of rules, and some single rules, can be edited only as JSON. The form shows
 * these as text; authors can remove them there but not change them.
 */
export function rulesView(
  { match, parts }: Rules,
  structure: Structure,
  code: string,
  noun: 'question' | 'page' | 'skip' | 'quota',
): Html {
  const option = (value: Rules['match'], label: string) =>
    html`<option value="${value}"${match === value && html` selected`}>${label}</option>`
  return html`
    <div class="field">
      <label for="match">${t('{action} if', { action: VERBS()[noun] })}</label>
      <select class="box" id="match" name="match">
        ${option('all', t('all rules are met'))}
        ${option('any', t('any rule is met'))}
      </select>
    </div>
    <ol class="rules">${parts.map((part, index) => ruleRow(part, index, structure, code))}</ol>`
}

function ruleRow(part: AnyCondition, index: number, structure: Structure, code: string): Html {
  const editable = editableRule(part, structure)
  const prefix = `rule.${index}`
  const remove = html`<button class="quiet small" name="do" value="remove.${index}">
    Remove<span class="hidden"> rule ${index + 1}</span>
  </button>`
  const was = html`<input type="hidden" name="${prefix}.was" value="${index}">`
  if (!editable)
    return html`<li>
      ${was}
      <span class="rule-text">${t('Met if {condition}', { condition: conditionSummary(part, structure, code) })}</span>
      ${remove}
    </li>`
  const { rule, question } = editable
  const operators = [...new Set([...operatorsOf(question), String(rule.op)])]
  return html`<li>
    ${was}
    <span class="rule-text">${nameInRule(rule, structure, code)}</span> <label class="hidden" for="${prefix}.op">
      Comparison of rule ${index + 1}
    </label>
    <select class="box" id="${prefix}.op" name="${prefix}.op">
      ${operators.map(
        (op) => html`<option value="${op}"${op === rule.op && html` selected`}>${operatorTexts()[op] ?? op}</option>`,
      )}
    </select>
    ${valueControl(prefix, index, shownValue(rule, question), question, code)}
    ${remove}
  </li>`
}

function valueControl(prefix: string, index: number, value: unknown, question: StructureQuestion, code: string): Part {
  const options = valuesOf(question, code)
  const label = html`<label class="hidden" for="${prefix}.value">Value of rule ${index + 1}</label>`
  const stored = value === undefined ? '' : String(value)
  if (!options) {
    const of = enteredValueOf(question)
    // A browser would drop a stored value that is no date or time.
    const picker = (of === 'date' || of === 'time') && (stored === '' || isEnteredValue(stored, of)) && of
    return html`
      ${label}
      <input class="box" id="${prefix}.value" name="${prefix}.value"
          value="${stored}"${picker && html` type="${picker}"`}${of === 'number' && html` inputmode="decimal"`}
          autocomplete="off">`
  }
  const isListed = stored === '' || options.some((option) => option.value === stored)
  return html`${label}<select class="box" id="${prefix}.value" name="${prefix}.value">${[
    ...options,
    // Rules in old structures can contain the label of a choice instead of its position. The list has no option with
    // this label, so the label is added as an option.
    ...(isListed ? [] : [{ value: stored, label: stored }]),
  ].map(
    (option) =>
      html`<option value="${option.value}"${option.value === stored && html` selected`}>${option.label}</option>`,
  )}</select>`
}
