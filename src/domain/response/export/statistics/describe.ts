import type { Context } from '../../../context.ts'
import { findSnapshot } from '../../../survey/queries.ts'
import { whileConnected } from '../export.ts'
import { writeFile } from '../file.ts'
import { DEFAULT_EXPORT_OPTIONS } from '../options.ts'
import { planExport } from '../plan.ts'
import { RowIndex } from '../row-index.ts'
import { openSession } from '../session.ts'
import { codebookCsv } from './codebook.ts'
import { StatisticsLines } from './statistics-lines.ts'
import { rSyntax, spssSyntax, stataSyntax } from './syntax.ts'
import { type Variable, type VariableOptions, variablesOf } from './variables.ts'

/** The forms of a codebook: a table, or a file by which a program reads the data. */
export const codebookFormats = ['csv', 'spss', 'stata', 'r'] as const
export type CodebookFormat = (typeof codebookFormats)[number]

/**
 * Returns the variables of the file for statistics programs.
 * @throws {Problem} `survey_not_found`; `invalid_request` for an unknown question or language
 */
export async function findVariables(context: Context, surveyId: number, options: VariableOptions): Promise<Variable[]> {
  const { questionnaire, questionNumbers } = await findSnapshot(context, surveyId, 'Analyze')
  return variablesOf(questionnaire, questionNumbers, options)
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
  const { slug } = await findSnapshot(context, surveyId, 'Analyze')
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
