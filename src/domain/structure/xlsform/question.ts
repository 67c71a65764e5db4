import type { ChoiceList } from './choices.ts'
import { join, type Result } from './condition.ts'
import { type Constrained, limitsOf } from './constraint.ts'
import { conditionMember, type Form, relevanceOf, textOf } from './form.ts'
import { convertType } from './question-type.ts'
import { rowTypeOf } from './row-type.ts'
import type { TableRow } from './table.ts'

type Members = Record<string, unknown>

/**
 * Converts a row to a question.
 * @param shownIf condition of the surrounding groups that do not become pages
 * @returns undefined if the row is left out
 */
export function questionOf(row: TableRow, form: Form, shownIf: Result | undefined): Members | undefined {
  const type = rowTypeOf(row.get('type'))
  const converted = convertType(row, type, form)
  if (!converted) return undefined
  const id = form.ids.get(row.number)!
  const { idname, option, answer, constrained } = converted
  const own = relevanceOf(row, form, 'question')
  const condition = join('all', [shownIf ?? true, own ?? true])
  const title = textOf(row, 'label', form)
  const description = textOf(row, 'hint', form)
  if (title === undefined && idname !== 'hidden-field')
    form.issues.add('label_missing', row.at('label'), `The row has no label. Its title is “${id}”. Write a title.`)
  const rules = option && constrained ? constraintOf(row, form, constrained) : {}
  const choices = option?.choices as ChoiceList['choices'] | undefined
  const marked = choices?.map((choice, index) =>
    rules.exclusive?.includes(index) ? { ...choice, exclusive: true } : choice,
  )
  if (answer)
    form.referables.set(row.get('name'), { key: id, answer, positions: constrained?.list?.positions ?? new Map() })
  reportCells(row, form, idname)
  return {
    idname,
    id,
    title: title ?? id,
    ...(description !== undefined && { description }),
    ...conditionMember(condition, form),
    children: option
      ? [
          {
            ...option,
            ...requiredOf(row, form, idname),
            ...(marked && { choices: marked }),
            ...(idname === 'number' ? rules.validation : validationOf(option, rules.validation)),
            ...rules.selected,
          },
        ]
      : [],
  }
}

function requiredOf(row: TableRow, form: Form, idname: string): Members {
  const text = row.get('required')
  if (idname === 'hidden-field' || text === '' || /^(?:no|false|false\(\)|0)$/i.test(text)) return {}
  if (row.isYes('required')) return { required: true }
  form.issues.add(
    'expression_not_supported',
    row.at('required'),
    'A question cannot be required only in some responses. The question is optional.',
    text,
  )
  return {}
}

interface Rules {
  validation?: Members
  selected?: Members
  exclusive?: readonly number[]
}

function constraintOf(row: TableRow, form: Form, constrained: Constrained): Rules {
  const text = row.get('constraint')
  if (text === '') return {}
  const { validation, exclusive, incomplete, simplified, ...selected } = limitsOf(form.parse(text), constrained)
  if (incomplete)
    form.issues.add(
      'expression_not_supported',
      row.at('constraint'),
      'The constraint, or a part of it, cannot be converted. Answers are not checked against this part.',
      text,
    )
  else if (simplified)
    form.issues.add(
      'expression_simplified',
      row.at('constraint'),
      'The pattern was replaced with the check for email addresses.',
      text,
    )
  const message = incomplete ? undefined : textOf(row, 'constraint_message', form)
  const hasRules = Object.keys(validation).length > 0
  const isNumber = constrained.answer === 'integer' || constrained.answer === 'decimal'
  if (isNumber && message !== undefined)
    form.issues.add(
      'column_ignored',
      row.at('constraint_message'),
      'Questions about numbers have no error message of their own. The default message names the limit.',
      row.get('constraint_message'),
    )
  const ownMessage = hasRules && !isNumber && message !== undefined ? { message } : {}
  return { exclusive, selected, validation: { ...validation, ...ownMessage } }
}

/** Merges the validation of a type with that of a constraint. */
function validationOf(option: Members, rules: Members = {}): Members {
  const merged = { ...rules, ...(option.validation as Members | undefined) }
  return Object.keys(merged).length > 0 ? { validation: merged } : {}
}

/** Adds issues for cells that have no counterpart in the question. */
function reportCells(row: TableRow, form: Form, idname: string): void {
  if (idname === 'hidden-field') return
  if (row.get('default') !== '')
    form.issues.add(
      'column_ignored',
      row.at('default'),
      'Questions cannot have a default answer. The question starts empty.',
      row.get('default'),
    )
  if (row.get('calculation') !== '')
    form.issues.add(
      'calculation_not_supported',
      row.at('calculation'),
      'The calculation cannot be converted. The question starts empty.',
      row.get('calculation'),
    )
  if (row.isYes('read_only') && idname !== 'section-separator')
    form.issues.add(
      'column_ignored',
      row.at('read_only'),
      'Questions cannot be read-only. Respondents can answer this question.',
      row.get('read_only'),
    )
}
