import { SandboxError } from '../../lib/sandbox.ts'
import { decodeText } from '../../lib/text-encoding.ts'
import { isWorkbook } from '../../lib/xlsx/is-workbook.ts'
import type { Context } from '../context.ts'
import { detail } from '../error-details.ts'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { runInSandbox } from '../sandbox.ts'

/**
 * Returns an uploaded table as CSV: the text of a CSV file, see `decodeText`, or the first sheet of an Excel workbook,
 * which is read in a separate process.
 * @throws {Problem} `invalid_csv`, `too_many_requests`, `unavailable`
 */
export async function tableText(context: Context, file: Buffer): Promise<string> {
  const text = isWorkbook(file) ? await workbookText(context, file) : decodeText(file)
  if (text === undefined || !text.isWellFormed() || text.includes('\0'))
    throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('not_a_table'))])
  if (text.trim() === '') throw problems.invalidCsv([fieldError('body', 'blank', {}, detail('empty_file'))])
  return text
}

async function workbookText(context: Context, file: Buffer): Promise<string> {
  try {
    const result = await runInSandbox(context, 'workbookTableTask', file)
    if ('csv' in result) return result.csv
    throw problems.invalidCsv(result.errors)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw problems.invalidCsv([fieldError('body', 'workbook_too_complex')])
  }
}
