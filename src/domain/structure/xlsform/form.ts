import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { MAX_RULES } from '../cost.ts'
import { reservedKeys } from '../meta-fields.ts'
import { isServiceParameter, reservedIdText } from '../reserved-ids.ts'
import { MAX_PLACEHOLDERS } from '../text.ts'
import type { ChoiceList } from './choices.ts'
import { conditionOf, type Referable, type Result } from './condition.ts'
import { type Expression, parseExpression } from './expression.ts'
import type { Issues } from './issues.ts'
import { rowTypeOf } from './row-type.ts'
import type { FormText, TableRow } from './table.ts'

/** A form that is being converted. */
export interface Form {
  issues: Issues
  defaultLanguage: string
  /** The codes of all languages. */
  languages: readonly string[]
  lists: ReadonlyMap<string, ChoiceList>
  /**
   * Counts a use of a list. Each question has its own copy of the choices, so the length of all copies is limited.
   * @throws {WorkbookError} `too_large`
   */
  useList(list: ChoiceList): void
  /**
   * Counts the rules of a condition. Each question of a group has its own copy of the condition of the group.
   * @throws {WorkbookError} `too_large`
   */
  useRules(condition: Result): void
  /** IDs of questions by row. */
  ids: ReadonlyMap<number, string>
  /** IDs of questions by name. */
  idsByName: ReadonlyMap<string, string>
  /** Parses an expression; undefined for one that cannot be converted. */
  parse(text: string): Expression | undefined
  /** The questions that have been converted so far, by name. */
  referables: Map<string, Referable>
}

const MAX_ID_CHARACTERS = 100
/** Maximum number of characters of all expressions of a form. */
const MAX_EXPRESSION_CHARACTERS = 1_000_000

/**
 * Returns a parser for the expressions of a form. After a million characters, the parser converts no further
 * expressions.
 */
export function expressionParser(): Form['parse'] {
  let remaining = MAX_EXPRESSION_CHARACTERS
  return (text) => {
    remaining -= text.length
    return remaining < 0 ? undefined : parseExpression(text)
  }
}

/** Returns a function that throws an error when the conditions with which it was called have too many rules together. */
export function ruleCounter(): Form['useRules'] {
  let rules = 0
  return function count(condition) {
    if (typeof condition === 'boolean') return
    if ('all' in condition) condition.all.forEach(count)
    else if ('any' in condition) condition.any.forEach(count)
    else if (++rules > MAX_RULES) throw new WorkbookError('too_large', { max: MAX_RULES, unit: 'rules' })
  }
}

/**
 * Assigns an ID to each row. The ID is the name of the row. If the name is reserved or used twice, the ID is the name
 * with a number. If the name is missing, the ID contains the number of the row.
 */
export function assignIds(rows: readonly TableRow[], issues: Issues): Pick<Form, 'ids' | 'idsByName'> {
  const ids = new Map<number, string>()
  const idsByName = new Map<string, string>()
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  for (const row of rows) {
    const type = rowTypeOf(row.get('type'))
    if (row.get('type') === '' || type.kind === 'end') continue
    const name = row.get('name')
    const base =
      name.slice(0, MAX_ID_CHARACTERS).toWellFormed() || `${type.kind === 'begin' ? 'group' : 'question'}_${row.number}`
    let id = base
    for (let count = counts.get(base) ?? 2; taken.has(id) || reservedKeys.has(id); count++) {
      id = `${base}_${count}`
      counts.set(base, count + 1)
    }
    taken.add(id)
    ids.set(row.number, id)
    if (name !== '' && !idsByName.has(name)) idsByName.set(name, id)
    const isVisible = type.kind !== 'begin' && !(type.kind === 'plain' && type.name === 'note')
    if (isVisible && isServiceParameter(id)) issues.add('reserved_id', row.at('name'), reservedIdText(id), name)
    if (id === name || !isVisible) continue
    const reason =
      name === '' ? 'The row has no name.' : `The name “${name.slice(0, 60)}” cannot be used or is used twice.`
    issues.add(
      'name_changed',
      row.at('name'),
      `${reason} The ID of the question is “${id}”. Change the ID before you collect responses.`,
      name,
    )
  }
  return { ids, idsByName }
}

/** Returns a text with references to answers as placeholders: `${name}` becomes `{{ name }}`. */
export function textOf(row: TableRow, column: string, form: Form): FormText | undefined {
  const text = row.text(column, form.defaultLanguage)
  if (text === undefined || typeof text === 'string') return text
  return Object.fromEntries(
    Object.entries(text).map(([code, translation]) => [code, withPlaceholders(translation, row, column, form)]),
  )
}

function withPlaceholders(text: string, row: TableRow, column: string, form: Form): string {
  let count = 0
  return text.replace(/\$\{([^{}]{1,255})\}/g, (reference, content: string) => {
    const name = content.trim()
    const id = form.idsByName.get(name)
    if (id !== undefined && ++count <= MAX_PLACEHOLDERS) return `{{ ${id} }}`
    form.issues.add(
      'reference_not_found',
      row.at(column),
      id === undefined
        ? `The text refers to “${name.slice(0, 60)}”, which is not a question of the survey. The reference was removed. Edit the text.`
        : `The text refers to more than ${MAX_PLACEHOLDERS} questions. The reference to “${name.slice(0, 60)}” was removed. Edit the text.`,
      reference,
    )
    return ''
  })
}

/** Returns the condition of a row; undefined if the row has none or it cannot be converted. */
export function relevanceOf(
  row: TableRow,
  form: Form,
  shown: 'question' | 'page' | 'group of questions',
): Result | undefined {
  const text = row.get('relevant')
  if (text === '') return undefined
  const expression = form.parse(text)
  const result = expression && conditionOf(expression, (name) => form.referables.get(name))
  if (result === undefined)
    form.issues.add(
      'expression_not_supported',
      row.at('relevant'),
      `The condition cannot be converted, so the ${shown} is always shown. Add a condition in the builder.`,
      text,
    )
  return result
}

/** Returns the member `condition`; none for a condition that always holds. */
export function conditionMember(result: Result | undefined, form: Form): { condition?: unknown } {
  if (result === undefined || result === true) return {}
  form.useRules(result)
  // An empty `any` is always false.
  return { condition: result === false ? { any: [] } : result }
}
