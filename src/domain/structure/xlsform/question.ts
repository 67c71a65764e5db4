import { isAutomatic, kindOf } from '../../../questions/index.ts'
import type { ListedChoice } from './choices.ts'
import type { Referable } from './condition.ts'
import { limitsOf } from './constraint.ts'
import { conditionMember, type Form, namesIn, type Relevance, relevanceOf, textOf } from './form.ts'
import type { Constrained } from './pattern.ts'
import { convertType } from './question-type.ts'
import { rowTypeOf } from './row-type.ts'
import type { FormText, TableRow } from './table.ts'

type Members = Record<string, unknown>

/** A converted row. */
export interface ConvertedRow {
  question: Members | undefined
  /** How expressions and texts can refer to the row; the page is added when the question has one. */
  referables: readonly (readonly [name: string, referable: Omit<Referable, 'page'> & { page?: number }])[]
}

/**
 * Converts a row to a question.
 * @param around condition of the surrounding groups that do not become pages
 */
export function questionOf(row: TableRow, form: Form, around: Relevance): ConvertedRow {
  const type = rowTypeOf(row.get('type'))
  const relevance = relevanceOf(row, form, around, 'question')
  const converted = convertType(row, type, form, relevance)
  const [name, id] = [row.get('name'), form.ids.get(row.number)!]
  if (!converted) return { question: undefined, referables: [] }
  if ('formula' in converted) {
    const { formula } = converted
    if (!formula) return { question: undefined, referables: [] }
    return { question: undefined, referables: [[name, { key: id, answer: 'formula', positions: new Map(), formula }]] }
  }
  const { idname, option, referable, constrained } = converted
  const title = textOf(row, 'label', form)
  const description = textOf(row, 'hint', form)
  const isHidden = isAutomatic(kindOf(idname))
  if (title === undefined && !isHidden)
    form.issues.add('label_missing', row.at('label'), `The row has no label. Its title is “${id}”. Write a title.`)
  const rules = constraintOf(row, form, option && constrained)
  const choices = option?.choices as ListedChoice[] | undefined
  const marked = choices?.map((choice, index) =>
    rules.exclusive?.includes(index) ? { ...choice, exclusive: true } : choice,
  )
  reportCells(row, form, idname)
  const question = {
    idname,
    id,
    title: title ?? id,
    ...(description !== undefined && { description }),
    ...conditionMember(relevance.result, form),
    children: option
      ? [
          {
            ...option,
            ...(!isHidden && requiredOf(row, form, relevance)),
            ...(marked && { choices: marked }),
            ...(idname === 'number' ? numberLimits(option, rules) : validationOf(rules.validation)),
            ...rules.own,
          },
        ]
      : [],
  }
  return { question, referables: referable ? [[name, { key: id, ...referable }]] : [] }
}

/** Returns the names to which the texts of a row refer. */
export function namesInRow(row: TableRow, form: Form): string[] {
  const type = rowTypeOf(row.get('type'))
  const labels: FormText[] =
    type.kind === 'select' || type.kind === 'rank'
      ? (form.lists.get(type.list)?.choices.map(({ label }) => label) ?? [])
      : []
  return namesIn([...['label', 'hint'].map((column) => row.text(column, form.defaultLanguage)), ...labels])
}

/** Returns the stricter of the limits of a type and of a constraint. */
function numberLimits({ min, max }: Members, { validation: rules = {}, also = [] }: Rules): Members {
  const stricter = (pick: (...values: number[]) => number, ...values: unknown[]) => {
    const numbers = values.filter((value) => typeof value === 'number')
    return numbers.length > 0 ? pick(...numbers) : undefined
  }
  const [low, high] = [stricter(Math.max, min, rules.min), stricter(Math.min, max, rules.max)]
  const beside = also.filter((number) => number >= Number(min ?? number) && number <= Number(max ?? number))
  return {
    ...(low !== undefined && { min: low }),
    ...(high !== undefined && { max: high }),
    ...(beside.length > 0 && { also: beside }),
  }
}

/** Returns whether a question is required. If its condition could not be converted, it is optional. */
export function requiredOf(row: TableRow, form: Form, { isIncomplete }: Relevance): Members {
  const text = row.get('required')
  if (text === '' || /^(?:no|false|false\(\)|0)$/i.test(text)) return {}
  if (!row.isYes('required')) {
    form.issues.add(
      'expression_not_supported',
      row.at('required'),
      'A question cannot be required only in some responses. The question is optional.',
      text,
    )
    return {}
  }
  if (!isIncomplete) return { required: true }
  form.issues.add(
    'required_removed',
    row.at('required'),
    'The question is optional, because its condition, or that of its group, cannot be converted: respondents to whom it does not apply see it. When you have added the condition, make it required.',
    text,
  )
  return {}
}

interface Rules {
  validation?: Members
  /** Numbers that are accepted outside of the limits. */
  also?: readonly number[]
  /** Members of the option object. */
  own?: Members
  exclusive?: readonly number[]
}

function constraintOf(row: TableRow, form: Form, constrained: Constrained | undefined): Rules {
  const text = row.get('constraint')
  const message = () => textOf(row, 'constraint_message', form)
  if (text === '') return {}
  const limits = limitsOf(form.parse(text), { answer: 'other', ...constrained, todays: form.todays })
  const { validation, also, exclusive, incomplete, simplified, minSelected, maxSelected, first, last } = limits
  if (incomplete)
    form.issues.add(
      'expression_not_supported',
      row.at('constraint'),
      'The constraint, or a part of it, cannot be converted. Answers are not checked against this part.',
      text,
    )
  if (simplified !== undefined) form.issues.add('expression_simplified', row.at('constraint'), simplified, text)
  const hasRules = Object.keys(validation).length > 0
  const isText = constrained?.answer === 'text' && hasRules
  const own = {
    ...(minSelected !== undefined && { minSelected }),
    ...(maxSelected !== undefined && { maxSelected }),
    ...(first !== undefined && { earliest: first }),
    ...(last !== undefined && { latest: last }),
  }
  const written = row.text('constraint_message', form.defaultLanguage)
  if (written === undefined) return { exclusive, own, validation, also }
  const isFixed = namesIn([written]).length === 0
  if (isText && !incomplete && isFixed)
    return { exclusive, own, also, validation: { ...validation, message: message() } }
  form.issues.add(
    'column_ignored',
    row.at('constraint_message'),
    !isText
      ? 'Only checks of texts have an error message of their own. The default message names the limit.'
      : incomplete
        ? 'The error message was left out, because only a part of the constraint is checked. The default message names the limit.'
        : 'An error message cannot contain answers. The default message names the limit.',
    row.get('constraint_message') || Object.values(written)[0],
  )
  return { exclusive, own, validation, also }
}

const validationOf = (validation: Members = {}): Members => (Object.keys(validation).length > 0 ? { validation } : {})

/** Adds issues for cells that have no counterpart in the question. */
export function reportCells(row: TableRow, form: Form, idname: string): void {
  const isHidden = isAutomatic(kindOf(idname))
  const report = (column: string, message: string) => {
    if (row.get(column) !== '') form.issues.add('column_ignored', row.at(column), message, row.get(column))
  }
  if (!isHidden) {
    report('default', 'Questions cannot have a default answer. The question starts empty.')
    if (row.get('calculation') !== '')
      form.issues.add(
        'calculation_not_supported',
        row.at('calculation'),
        'The calculation cannot be converted. The question starts empty.',
        row.get('calculation'),
      )
  }
  const isReadOnly = !/^(?:|no|false|false\(\)|0)$/i.test(row.get('read_only'))
  if (isReadOnly && !isHidden && idname !== 'section-separator')
    report('read_only', 'Questions cannot be read-only. Respondents can answer this question.')
  if ((isHidden || idname === 'section-separator') && row.isYes('required'))
    report('required', 'The row asks for no answer, so it cannot be required.')
  reportWords(row, form, 'appearance', KNOWN_APPEARANCES)
  reportWords(row, form, 'parameters', KNOWN_PARAMETERS)
}

/** Appearances that are converted, that have issues of their own, or that are the only appearance. */
const KNOWN_APPEARANCES =
  /^(?:multiline|minimal|autocomplete|search|search\(.*|signature|draw|annotate|label|list-nolabel|table-list|field-list|year|month-year|ethiopian|coptic|islamic|bikram-sambat|myanmar|persian|buddhist|hebrew)$/
const KNOWN_PARAMETERS = /^(?:randomize|start|end|step|rows)$/i
const MAX_REPORTED_WORDS = 100

/** Reports each appearance, or parameter, without a counterpart once. */
function reportWords(row: TableRow, form: Form, column: 'appearance' | 'parameters', known: RegExp): void {
  const cell = row.get(column).slice(0, 500)
  if (cell === '') return
  const words =
    column === 'appearance'
      ? cell.split(/\s+(?![^(]*\))/)
      : [...cell.matchAll(/(?:^|[\s,;])([\w-]{1,60})\s*=/g)].map(([, name = '']) => name)
  for (const word of words) {
    const key = `${column} ${word.toLowerCase().slice(0, 60)}`
    if (word === '' || known.test(word) || form.reported.has(key) || form.reported.size >= MAX_REPORTED_WORDS) continue
    form.reported.add(key)
    form.issues.add(
      'appearance_ignored',
      row.at(column),
      `The ${column === 'appearance' ? 'appearance' : 'parameter'} “${word.slice(0, 60)}” has no effect in the survey, here and in further rows.`,
      cell,
    )
  }
}
