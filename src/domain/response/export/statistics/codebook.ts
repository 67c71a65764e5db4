import { csvField } from '../../../../lib/csv.ts'
import type { Context } from '../../../context.ts'
import { findSnapshot } from '../../../survey/queries.ts'
import { withCategories } from '../../coding/category-fields.ts'
import { DEFAULT_EXPORT_OPTIONS, type ExportOptions } from '../columns.ts'
import { whileConnected } from '../export.ts'
import { RowIndex, writeFile } from '../file.ts'
import { planExport } from '../plan.ts'
import { openSession } from '../session.ts'
import type { ReadingLayout } from '../workbook.ts'
import { StatisticsLines } from './statistics-lines.ts'
import { rSyntax, spssSyntax, stataSyntax } from './syntax.ts'
import { sourceOf, type Variable, type VariableOptions, type VariableType, variablesOf } from './variables.ts'

const COLUMNS = ['variable', 'label', 'type', 'measure', 'missing', 'value', 'value_label', 'question', 'column']

/** Returns the codebook as rows, the header first: one row per value of a variable, or one for a variable without values. */
function codebookRows(variables: readonly Variable[]): string[][] {
  const rows = variables.flatMap((variable) => {
    const { name, label, type, measure, missing, values } = variable
    const { question, column } = sourceOf(variable)
    const labelled = values.length > 0 ? values : [{ value: '', label: '' }]
    return labelled.map((one) => [name, label, type, measure, missing, one.value, one.label, question, column])
  })
  return [COLUMNS, ...rows]
}

/** The words of the codebook in a workbook for people: its header, and the names of types. */
interface CodebookWords {
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

/** Returns rows as a CSV file. */
export const csvTable = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((cell) => csvField(cell, { separator: ',', quoteAll: false })).join(',')}\r\n`).join('')

/** Returns the codebook as a CSV file. */
export const codebookCsv = (variables: readonly Variable[]): string => csvTable(codebookRows(variables))

/** The forms of a codebook: a table, or a file by which a program reads the data. */
export const codebookFormats = ['csv', 'spss', 'stata', 'r'] as const
export type CodebookFormat = (typeof codebookFormats)[number]

/**
 * Returns the variables of the file for statistics programs.
 * @throws {Problem} `survey_not_found`; `invalid_request` for an unknown question or language
 */
export async function findVariables(context: Context, surveyId: number, options: VariableOptions): Promise<Variable[]> {
  const { questionnaire: q, questionNumbers, weighting } = await findSnapshot(context, surveyId, 'Export')
  const questionnaire = options.withCategories ? (await withCategories(context, surveyId, q)).questionnaire : q
  return variablesOf(questionnaire, questionNumbers, {
    ...options,
    withWeight: options.withWeight ?? weighting !== null,
  })
}

/**
 * Returns the codebook of the file for statistics programs, or the file by which a program reads it.
 * @throws {Problem} as {@link findVariables}; `too_many_exports`
 */
export async function writeCodebook(
  context: Context,
  surveyId: number,
  format: CodebookFormat,
  options: VariableOptions,
): Promise<{ filename: string; text: string }> {
  const { slug } = await findSnapshot(context, surveyId, 'Export')
  const variables = await findVariables(context, surveyId, options)
  const file = { filename: `${slug}.csv`, variables, widths: [] }
  switch (format) {
    case 'csv':
      return { filename: `${slug}-codebook.csv`, text: codebookCsv(variables) }
    case 'spss':
      return {
        filename: `${slug}.sps`,
        // SPSS recognises UTF-8 by the byte order mark.
        text: `\ufeff${spssSyntax({ ...file, widths: await measure(context, surveyId, options) })}`,
      }
    case 'stata':
      return { filename: `${slug}.do`, text: stataSyntax(file) }
    case 'r':
      return { filename: `${slug}.R`, text: rSyntax(file) }
  }
}

/** Returns the length of the longest cell of each variable in bytes. Reads all responses, as an export does. */
async function measure(context: Context, surveyId: number, options: VariableOptions): Promise<readonly number[]> {
  const all = { search: '', mode: 'strict', parameters: new Set<string>(), filter: undefined } as const
  const plan = await planExport(context, surveyId, all, { ...DEFAULT_EXPORT_OPTIONS, ...options, statistics: true })
  const session = await openSession(context.services.pool)
  return whileConnected(context, session.abort, async () => {
    for await (const _ of writeFile(session, plan, new RowIndex())) {
      // The lines are written only to measure their cells.
    }
    await session.finish()
    return plan.lines instanceof StatisticsLines ? plan.lines.widths : []
  })
}
