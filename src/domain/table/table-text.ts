import { decodeText } from '../../lib/text-encoding.ts'
import { detail } from '../error-details.ts'
import { fieldError } from '../field-error.ts'
import { problems } from '../problem.ts'

/**
 * Returns the text of an uploaded table, see `decodeText`.
 * @throws {Problem} `invalid_csv`
 */
export function tableText(file: Buffer): string {
  const text = decodeText(file)
  if (text === undefined || !text.isWellFormed() || text.includes('\0'))
    throw problems.invalidCsv([fieldError('body', 'invalid_csv', {}, detail('not_a_table'))])
  if (text.trim() === '') throw problems.invalidCsv([fieldError('body', 'blank', {}, detail('empty_file'))])
  return text
}
