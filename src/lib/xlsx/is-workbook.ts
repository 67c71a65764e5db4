/**
 * Returns whether a file begins like a workbook. A workbook is a ZIP archive (.xlsx), or has the binary format of .xls
 * files and encrypted .xlsx files.
 */
export const isWorkbook = (file: Buffer): boolean => /^(?:504b0304|d0cf11e0)/.test(file.subarray(0, 4).toString('hex'))
