import { csvField } from '../../../../lib/csv.ts'
import type { ExportOptions } from '../options.ts'
import type { ReadingLayout } from '../workbook.ts'
import type { Variable, VariableType } from './variables.ts'

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

/** The words of the codebook in a workbook for people: its header, and the names of types. */
export interface CodebookWords {
  header: readonly string[]
  types: Readonly<Record<VariableType, string>>
  /** What the cells of choices contain. */
  marks: Readonly<Record<'_labels' | '_codes', string>>
}

export const ENGLISH_WORDS: CodebookWords = {
  header: ['Column', 'Label', 'Type', 'Value', 'Label of the value', 'Name for statistics programs', 'Question', 'Key'],
  types: { number: 'number', text: 'text', date: 'date', time: 'time', datetime: 'date and time' },
  marks: { _labels: 'Columns of choices contain labels.', _codes: 'Columns of choices contain codes.' },
}

/**
 * Returns the codebook of a workbook for people. The first cell of each row, the heading of the column, is left out,
 * except in the header. An import of the workbook reads the headings, and what the columns of choices contain, from the
 * codebook (table/workbook-codebook.ts).
 */
export function readingCodebook(
  variables: readonly Variable[],
  words: CodebookWords,
  { labels, codes, scores }: Pick<ExportOptions, 'labels' | 'codes' | 'scores'>,
): ReadingLayout['codebook'] {
  const mark = scores ? undefined : codes ? '_codes' : labels ? '_labels' : undefined
  const questionsFirst = [...variables].sort((a, b) => Number('meta' in a.source) - Number('meta' in b.source))
  const rows = questionsFirst.flatMap((variable) => {
    const { name, label, type, values, missing } = variable
    const { question, column } = sourceOf(variable)
    // The column of a choice contains the choice or nothing.
    const labelled = values.length > 0 && missing !== 'not asked' ? values : [{ value: '', label: '' }]
    return labelled.map((one) => ({
      column,
      cells: [label, words.types[type], one.value, one.label, name, question, column],
    }))
  })
  const last =
    mark === undefined ? [] : [{ column: undefined, cells: ['', words.marks[mark], '', '', '', '', '', mark] }]
  return [{ column: undefined, cells: words.header }, ...rows, ...last]
}

/** Returns the codebook as a CSV file. */
export const codebookCsv = (variables: readonly Variable[]): string =>
  codebookRows(variables)
    .map((row) => `${row.map((cell) => csvField(cell, { separator: ',', quoteAll: false })).join(',')}\r\n`)
    .join('')
