import { convertXlsform } from '../../../src/domain/structure/xlsform/read.ts'
import { makeWorkbook, type SheetCells } from '../../support/workbook.ts'

const CHOICES: SheetCells = [
  ['list_name', 'name', 'label'],
  ['yn', 'yes', 'Yes'],
  ['yn', 'no', 'No'],
  ['scale', '1', 'Bad'],
  ['scale', '2', 'Fair'],
  ['scale', '3', 'Good'],
  ['drinks', 'tea', 'Tea'],
  ['drinks', 'coffee', 'Coffee'],
  ['drinks', 'none', 'None'],
]

/**
 * Converts an XLSForm.
 * @param columns the headers of the sheet `survey`, separated by spaces
 * @param rows the rows of the sheet `survey`
 * @param more additional sheets
 */
export async function convert(columns: string, rows: readonly string[][], more: Record<string, SheetCells> = {}) {
  const survey = [columns.split(' '), ...rows]
  const { structure, issues } = await convertXlsform(await makeWorkbook({ survey, choices: CHOICES, ...more }))
  return { structure, issues, questions: structure.form.flatMap(({ children }) => children) }
}
