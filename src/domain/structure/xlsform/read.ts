import { exceededJsonLimit, MAX_VALUES } from '../../../lib/json.ts'
import { SandboxError } from '../../../lib/sandbox.ts'
import { readWorkbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import type { Context } from '../../context.ts'
import { type FieldError, fieldError } from '../../field-error.ts'
import { Problem, problems } from '../../problem.ts'
import { runInSandbox } from '../../sandbox.ts'
import { workbookFieldError } from '../../workbook-error.ts'
import { numberStructure } from '../numbering.ts'
import { normaliseStructure, type Structure } from '../structure.ts'
import { convertForm, SHEETS } from './convert.ts'
import type { Issue } from './issues.ts'
import { repairForm, type UncheckedForm } from './repair.ts'
import { isTextForm, readTextForm } from './text-form.ts'

/** A converted form. */
export interface ConvertedForm {
  structure: Structure
  /** What was left out or changed. */
  issues: Issue[]
}

/**
 * Converts an XLSForm to a structure, in a separate process. Stores nothing.
 * @param file an Excel workbook (.xlsx), or the form as CSV or Markdown in the notation of pyxform
 * @throws {Problem} `invalid_xlsform`, `too_many_requests`, `unavailable`
 */
export async function readXlsform(context: Context, file: Buffer): Promise<ConvertedForm> {
  try {
    const result = await runInSandbox(context, 'xlsformTask', file)
    if ('structure' in result) return result
    throw problems.invalidXlsform(result.errors)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    throw problems.invalidXlsform([fieldError('file', 'workbook_too_complex')])
  }
}

/** Runs {@link convertXlsform} in a sandbox. */
export async function xlsformTask(file: Uint8Array): Promise<ConvertedForm | { errors: readonly FieldError[] }> {
  try {
    return await convertXlsform(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { errors: error.errors }
  }
}

/**
 * Converts an XLSForm to a structure that the API accepts for a survey.
 * @throws {Problem} `invalid_xlsform`
 */
export async function convertXlsform(file: Buffer): Promise<ConvertedForm> {
  const converted = await convert(file)
  if (!converted) throw problems.invalidXlsform([fieldError('survey', 'missing_sheet')])
  const error = repairForm(converted)
  if (error) throw problems.invalidXlsform([{ ...error, field: 'survey' }])
  const { structure } = numberStructure(normaliseStructure(converted.structure))
  const json = JSON.stringify(structure)
  if (Buffer.byteLength(json) > MAX_JSON_BYTES)
    throw tooLarge({ max: MAX_JSON_BYTES / 1_000_000, unit: 'MB in the survey' })
  if (exceededJsonLimit(json, OTHER_MEMBERS)) throw tooLarge({ max: MAX_VALUES, unit: 'values in the survey' })
  return { structure, issues: converted.issues.list }
}

const MAX_JSON_BYTES = 9_000_000
/** Stands for the other members of the request that creates a survey with a structure. */
const OTHER_MEMBERS = '[]'.padEnd(1000, ',')

async function convert(file: Buffer): Promise<UncheckedForm | undefined> {
  try {
    return convertForm(isTextForm(file) ? await readTextForm(file) : await readWorkbook(file, SHEETS))
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    throw problemOf(error)
  }
}

const problemOf = (error: WorkbookError): Problem => problems.invalidXlsform([workbookFieldError(error, 'file')])
const tooLarge = (params: WorkbookError['params']): Problem => problemOf(new WorkbookError('too_large', params))
