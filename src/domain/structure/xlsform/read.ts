import { readWorkbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError, type WorkbookErrorReason, type WorkbookUnit } from '../../../lib/xlsx/workbook-error.ts'
import { detail, type ErrorDetailName } from '../../error-details.ts'
import { type FieldErrorCode, fieldError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { checkStructure } from '../check.ts'
import { numberStructure } from '../numbering.ts'
import { normaliseStructure, type Structure } from '../structure.ts'
import { type AuthoredForm, convertForm, SHEETS } from './convert.ts'
import type { Issue } from './issues.ts'

/** A converted form. */
export interface ConvertedForm {
  structure: Structure
  /** What was left out or changed. */
  issues: Issue[]
}

const CODES: Readonly<Record<WorkbookErrorReason, FieldErrorCode>> = {
  not_a_workbook: 'not_a_workbook',
  old_format: 'old_workbook',
  password_protected: 'password_protected',
  too_large: 'workbook_too_large',
  damaged: 'damaged_workbook',
}

/**
 * Converts an XLSForm to a structure. Stores nothing.
 * @param file an Excel workbook (.xlsx)
 * @throws {Problem} `invalid_xlsform`
 */
export async function readXlsform(file: Buffer): Promise<ConvertedForm> {
  const converted = await convert(file)
  if (!converted) throw problems.invalidXlsform([fieldError('survey', 'missing_sheet')])
  // Each part of the form is checked during the conversion. This check finds errors of the whole survey, such as too
  // many questions on a page.
  const [error] = checkStructure(converted.structure)
  if (error) throw problems.invalidXlsform([{ ...error, field: 'survey' }])
  return { structure: numberStructure(normaliseStructure(converted.structure)).structure, issues: converted.issues }
}

async function convert(file: Buffer): Promise<AuthoredForm | undefined> {
  try {
    return convertForm(await readWorkbook(file, SHEETS))
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error
    throw problems.invalidXlsform([fieldError('file', CODES[error.reason], error.params, preciseText(error))])
  }
}

const UNITS: Readonly<Record<WorkbookUnit, ErrorDetailName>> = {
  cells: 'workbook_cells',
  files: 'workbook_files',
  MB: 'workbook_size',
  characters: 'workbook_characters',
  'characters in a cell': 'workbook_cell',
  'characters in the choices of all questions': 'workbook_choices',
  'rows in the sheet survey': 'workbook_rows',
}

/** Returns the text that says which part of the workbook is too large. */
const preciseText = ({ params }: WorkbookError) => params && detail(UNITS[params.unit], { max: params.max })
