import type { WorkbookError, WorkbookErrorReason, WorkbookUnit } from '../lib/xlsx/workbook-error.ts'
import { detail, type ErrorDetailName } from './error-details.ts'
import { type FieldError, type FieldErrorCode, fieldError } from './field-error.ts'

const CODES: Readonly<Record<WorkbookErrorReason, FieldErrorCode>> = {
  not_a_workbook: 'not_a_workbook',
  old_format: 'old_workbook',
  password_protected: 'password_protected',
  too_large: 'workbook_too_large',
  damaged: 'damaged_workbook',
}

const UNITS: Readonly<Record<WorkbookUnit, ErrorDetailName>> = {
  cells: 'workbook_cells',
  files: 'workbook_files',
  MB: 'workbook_size',
  characters: 'workbook_characters',
  'characters in a cell': 'workbook_cell',
  'characters in the choices of all questions': 'workbook_choices',
  'rows in the sheet survey': 'workbook_rows',
  'characters in comments': 'workbook_comments',
  'columns in a sheet': 'workbook_columns',
  'attributes of an element': 'workbook_attributes',
  rules: 'workbook_rules',
  'MB in the survey': 'workbook_survey_size',
  'values in the survey': 'workbook_values',
}

/** Describes why a workbook cannot be read, with the part that is too large. */
export const workbookFieldError = ({ reason, params }: WorkbookError, field: string): FieldError =>
  fieldError(field, CODES[reason], params, params && detail(UNITS[params.unit], { max: params.max }))
