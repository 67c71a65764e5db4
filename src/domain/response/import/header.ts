import { type FieldError, fieldError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { metaFieldByKey } from '../../structure/meta-fields.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { targetOf } from '../../structure/target.ts'
import { type FactName, factNames } from './facts.ts'

/** What a column of an imported table holds. */
export type Column =
  | { kind: 'answer'; name: string; field: Field }
  /** One choice of a question that takes several: the cell is empty, or names that choice; of a ranking, it is its place from 1. */
  | { kind: 'choice'; name: string; field: Field; index: number }
  | { kind: 'fact'; name: FactName }
  | { kind: 'passed over'; name: string }

/** What an export says of a response that an import cannot take over, or that says nothing new. */
const PASSED_OVER = new Set(['', '_url', '_response_link', ...metaFieldByKey.keys()])

/** As many as a structure can have choices, and more than any has: an export can always be imported. */
const MOST_COLUMNS = 100_000

/**
 * Reads the first row of an imported table: response keys, identifiers, or headers as the export writes them.
 * @throws {Problem} `invalid_request` naming each column that is unknown or there twice
 */
export function readHeader(q: Questionnaire, header: readonly string[]): Column[] {
  if (header.length > MOST_COLUMNS)
    throw problems.invalidCsv([
      fieldError('row 1', 'too_many', { max: MOST_COLUMNS }, `must have at most ${MOST_COLUMNS} columns`),
    ])
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const columns = header.map((cell, place): Column => {
    const name = nameIn(cell)
    const column = columnOf(q, name)
    const twice = column && column.kind !== 'passed over' && seen.has(column.name)
    const value = name.slice(0, 60)
    if (!column) errors.push(fieldError(`column ${place + 1}`, 'unknown_question', { value }))
    else if (twice) errors.push(fieldError(`column ${place + 1}`, 'duplicate', { value }, `“${value}” is a duplicate`))
    seen.add(column?.name ?? name)
    return column ?? { kind: 'passed over', name }
  })
  if (errors.length) throw problems.invalidCsv(errors.slice(0, 100))
  if (columns.every(({ kind }) => kind === 'passed over'))
    throw problems.invalidCsv([fieldError('row 1', 'missing_column', {}, 'has no question of this survey')])
  return columns
}

/** `{key}` and `{key} title` mean the key (decisions, section 3, "CSV"). */
const nameIn = (cell: string): string => /^\{([^{}]+)\}(?: |$)/.exec(cell.trim())?.[1] ?? cell.trim()

function columnOf(q: Questionnaire, name: string): Column | undefined {
  const { field, choice } = targetOf(q, name) ?? {}
  if (field && choice === undefined) return { kind: 'answer', name: field.key, field }
  if (field && choice !== undefined) return { kind: 'choice', name: `${field.key}\\${choice}`, field, index: choice }
  if (factNames.has(name as FactName)) return { kind: 'fact', name: name as FactName }
  return (
    rankColumn(q, name) ?? removedColumn(q, name) ?? (PASSED_OVER.has(name) ? { kind: 'passed over', name } : undefined)
  )
}

/** What was chosen and is no longer offered has no place in a new response. */
const removedColumn = (q: Questionnaire, name: string): Column | undefined =>
  name.endsWith(REMOVED) && targetOf(q, name.slice(0, -REMOVED.length))?.field
    ? { kind: 'passed over', name }
    : undefined
const REMOVED = '\\removed'

function rankColumn(q: Questionnaire, name: string): Column | undefined {
  const [, base, digits] = /^(.+)\\(\d{1,6})$/s.exec(name) ?? []
  const field = base === undefined ? undefined : targetOf(q, base)?.field
  const index = Number(digits)
  if (field?.type !== 'ranking' || !field.choices[index]) return undefined
  return { kind: 'choice', name: `${field.key}\\${index}`, field, index }
}
