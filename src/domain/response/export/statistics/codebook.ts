import { csvField } from '../../../../lib/csv.ts'
import type { Variable } from './variables.ts'

const COLUMNS = ['variable', 'label', 'type', 'measure', 'missing', 'value', 'value_label', 'question', 'column']

/** Returns the ID of the question of a variable, and the name of its column in other exports. */
export function sourceOf({ source }: Variable): { question: string; column: string } {
  if ('meta' in source) return { question: '', column: source.meta.key }
  const { field, choice } = source
  const { id } = field.question
  if (!choice) return { question: id, column: field.key }
  return { question: id, column: `${field.key}\\${choice.removed ? 'removed' : choice.index}` }
}

/** Returns the codebook as rows, the header first: one row per value of a variable, or one for a variable without values. */
export function codebookRows(variables: readonly Variable[]): string[][] {
  const rows = variables.flatMap((variable) => {
    const { name, label, type, measure, missing, values } = variable
    const { question, column } = sourceOf(variable)
    const labelled = values.length > 0 ? values : [{ value: '', label: '' }]
    return labelled.map((one) => [name, label, type, measure, missing, one.value, one.label, question, column])
  })
  return [COLUMNS, ...rows]
}

/** Returns the codebook as a CSV file. */
export const codebookCsv = (variables: readonly Variable[]): string =>
  codebookRows(variables)
    .map((row) => `${row.map((cell) => csvField(cell, { separator: ',', quoteAll: false })).join(',')}\r\n`)
    .join('')
