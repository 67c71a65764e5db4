import { MAX_FILTERS } from '../../../questions/settings.ts'
import { MAX_ATTRIBUTE_CHARACTERS, MAX_ATTRIBUTE_VALUES } from '../setting-schemas.ts'
import type { ChoiceList } from './choices.ts'
import type { Find, Referable } from './condition.ts'
import type { Expression } from './expression.ts'
import type { TableRow } from './table.ts'

/** A column of the choices that must name the answer to a question. */
interface Match {
  column: string
  question: Referable
}

/** A column of the choices that must have a value. */
interface Constant {
  column: string
  value: string
  isEqual: boolean
}

/** The parts of a choice filter: all of them must be met, or one of the exceptions. */
interface Parts {
  matches: Match[]
  constants: Constant[]
  /** Choices that are always offered, such as `or name = 'other'`. */
  exceptions: Constant[]
}

/** A filtered list of a question. */
export interface FilteredList {
  list: ChoiceList
  choiceFilter: { question: string; attribute: string }[]
}

/**
 * Converts a choice filter whose parts compare columns of the choices with answers to earlier questions, such as
 * `county = ${county} and selected(${years}, year) or name = 'other'`.
 * @returns undefined for any other filter
 */
export function filteredList(list: ChoiceList, expression: Expression, find: Find): FilteredList | undefined {
  const parts: Parts = { matches: [], constants: [], exceptions: [] }
  const alternatives = expression.kind === 'or' ? expression.parts : [expression]
  const [main, ...more] = alternatives.filter((part) => !addException(parts, part, alternatives.length))
  if (!main || more.length > 0 || !addParts(parts, main, find)) return undefined
  const { matches } = parts
  const attributes = [...new Set(matches.map(({ column, question }) => `${column} ${question.key}`))]
  if (matches.length > MAX_FILTERS || attributes.length < matches.length) return undefined
  const filtered = applied(list, parts)
  return (
    filtered && {
      list: filtered,
      choiceFilter: matches.map(({ question, column }) => ({ question: question.key, attribute: column })),
    }
  )
}

/** Returns the comparison of a column with a constant. */
function constantOf(expression: Expression): Constant | undefined {
  if (expression.kind !== 'compare' || (expression.op !== '=' && expression.op !== '!=')) return undefined
  const [column, literal] =
    expression.left.kind === 'column' ? [expression.left, expression.right] : [expression.right, expression.left]
  if (column.kind !== 'column' || literal.kind !== 'literal') return undefined
  return { column: column.name, value: String(literal.value), isEqual: expression.op === '=' }
}

function addException({ exceptions }: Parts, part: Expression, alternatives: number): boolean {
  const constant = alternatives > 1 ? constantOf(part) : undefined
  if (constant) exceptions.push(constant)
  return constant !== undefined
}

/** Adds the parts of a conjunction. Returns whether all of them were understood. */
function addParts(parts: Parts, expression: Expression, find: Find): boolean {
  if (expression.kind === 'and') return expression.parts.every((part) => addParts(parts, part, find))
  if (expression.kind === 'call' && expression.name === 'true') return true
  const constant = constantOf(expression)
  if (constant) {
    parts.constants.push(constant)
    return true
  }
  const [column, name, isSelected] = comparedColumn(expression)
  const question = name === undefined ? undefined : find(name)
  if (column === undefined || !question || question.formula) return false
  // Equality with several choices holds only if a single one is selected.
  const isComparable = isSelected ? question.answer !== 'text' : question.answer !== 'multiple'
  if (!isComparable || question.answer === 'ranking' || question.answer === 'time') return false
  parts.matches.push({ column, question })
  return true
}

/** Returns the column and the name of the question of `column = ${name}` or `selected(${name}, column)`. */
function comparedColumn(expression: Expression): [column?: string, question?: string, isSelected?: boolean] {
  if (expression.kind === 'call' && expression.name === 'selected') {
    const [answer, column] = expression.args
    return answer?.kind === 'question' && column?.kind === 'column' ? [column.name, answer.name, true] : []
  }
  if (expression.kind !== 'compare' || expression.op !== '=') return []
  const { left, right } = expression
  if (left.kind === 'column' && right.kind === 'question') return [left.name, right.name]
  return left.kind === 'question' && right.kind === 'column' ? [right.name, left.name] : []
}

/** Returns the list with the attributes that the filter needs, without choices that it never offers. */
function applied(list: ChoiceList, { matches, constants, exceptions }: Parts): ChoiceList | undefined {
  const holds = (row: TableRow, { column, value, isEqual }: Constant) => (row.get(column) === value) === isEqual
  const filtered: ChoiceList = { ...list, choices: [], rows: [], positions: new Map(), characters: 0, values: 0 }
  for (const [index, choice] of list.choices.entries()) {
    const rows = list.rows[index]!
    const isAlways = rows.length === 0 || exceptions.some((constant) => rows.some((row) => holds(row, constant)))
    const offered = rows.filter((row) => constants.every((constant) => holds(row, constant)))
    if (!isAlways && offered.length === 0) continue
    const attributes = isAlways || matches.length === 0 ? undefined : attributesOf(offered, matches)
    if (attributes === 'too large') return undefined
    const position = filtered.choices.length
    const name = rows[0]?.get('name') ?? choice.code ?? ''
    const named = filtered.positions.get(name)
    if (named) named.push(position)
    else if (name !== '') filtered.positions.set(name, [position])
    filtered.choices.push({ ...choice, ...(attributes && { attributes }) })
    filtered.rows.push(rows)
  }
  const isFiltered = matches.length === 0 || filtered.choices.some(({ attributes }) => attributes !== undefined)
  // A column that is empty, or that the sheet does not have, never names an answer.
  const isBlank = ({ column }: Match) =>
    filtered.choices.every(({ attributes }) => attributes === undefined || attributes[column] === '')
  if (filtered.choices.length === 0 || !isFiltered || matches.some(isBlank)) return undefined
  for (const { attributes = {} } of filtered.choices) {
    const text = JSON.stringify(attributes)
    filtered.characters += text.length
    filtered.values += 1 + Object.values(attributes).flat().length * 2
  }
  return { ...filtered, characters: filtered.characters + list.characters, values: filtered.values + list.values }
}

/** Returns the values of the columns of a choice: a text, or a list if the choice has several rows. */
function attributesOf(rows: readonly TableRow[], matches: readonly Match[]) {
  const attributes: Record<string, string | string[]> = {}
  for (const { column, question } of matches) {
    const values = [...new Set(rows.flatMap((row) => codesOf(question, row.get(column))))]
    if (values.length > MAX_ATTRIBUTE_VALUES || column.length > MAX_ATTRIBUTE_CHARACTERS) return 'too large'
    if (values.some((value) => value.length > MAX_ATTRIBUTE_CHARACTERS)) return 'too large'
    attributes[column] = values.length === 1 ? values[0]! : values
  }
  return attributes
}

/** Returns the codes of the choices with a name in the list of a question, or the name itself. */
const codesOf = ({ codes, positions }: Referable, name: string): string[] =>
  positions.get(name)?.flatMap((position) => codes?.[position] ?? name) ?? [name]
