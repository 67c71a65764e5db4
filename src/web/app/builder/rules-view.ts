import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { conditionSummary, nameInRule, operatorTexts } from './condition-summary.ts'
import { editableRule, enteredValueOf, isEnteredValue, operatorsOf, type Rules, shownValue, valuesOf } from './rules.ts'

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
  return html`<div class="field"><label for="match">${t('{action} if', { action: VERBS()[noun] })}</label><select class="box" id="match" name="match">${option('all', t('all rules are met'))}${option('any', t('any rule is met'))}</select></div>
<ol class="rules">${parts.map((part, index) => ruleRow(part, index, structure, code))}</ol>`
}

function ruleRow(part: unknown, index: number, structure: Structure, code: string): Html {
  const editable = editableRule(part, structure)
  const prefix = `rule.${index}`
  const remove = html`<button class="quiet small" name="do" value="remove.${index}">Remove<span class="hidden"> rule ${index + 1}</span></button>`
  const was = html`<input type="hidden" name="${prefix}.was" value="${index}">`
  if (!editable)
    return html`<li>${was}<span class="rule-text">${t('Met if {condition}', { condition: conditionSummary(part, structure, code) })}</span>${remove}</li>`
  const { rule, question } = editable
  const operators = [...new Set([...operatorsOf(question), String(rule.op)])]
  return html`<li>${was}<span class="rule-text">${nameInRule(rule, structure, code)}</span>
<label class="hidden" for="${prefix}.op">Comparison of rule ${index + 1}</label><select class="box" id="${prefix}.op" name="${prefix}.op">${operators.map(
    (op) => html`<option value="${op}"${op === rule.op && html` selected`}>${operatorTexts()[op] ?? op}</option>`,
  )}</select>${valueControl(prefix, index, shownValue(rule, question), question, code)}${remove}</li>`
}

function valueControl(prefix: string, index: number, value: unknown, question: StructureQuestion, code: string): Part {
  const options = valuesOf(question, code)
  const label = html`<label class="hidden" for="${prefix}.value">Value of rule ${index + 1}</label>`
  const stored = value === undefined ? '' : String(value)
  if (!options) {
    const of = enteredValueOf(question)
    // A browser would drop a stored value that is no date or time.
    const picker = (of === 'date' || of === 'time') && (stored === '' || isEnteredValue(stored, of)) && of
    return html`${label}<input class="box" id="${prefix}.value" name="${prefix}.value" value="${stored}"${picker && html` type="${picker}"`}${of === 'number' && html` inputmode="decimal"`} autocomplete="off">`
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
