/** The codes of errors in an uploaded workbook. The entries have the same members as those of `fieldErrorCodes`. */
export const workbookErrorCodes = {
  not_a_workbook: {
    text: 'is not an Excel workbook (.xlsx)',
    meaning: 'The file has another format, whatever its name says.',
    service: true,
  },
  old_workbook: {
    text: 'is an Excel 97–2003 workbook (.xls); open it in Excel or LibreOffice, and save it as .xlsx',
    meaning: 'The file is an .xls workbook.',
    service: true,
  },
  password_protected: {
    text: 'is protected with a password; save it without one',
    meaning: 'The workbook is encrypted.',
    service: true,
  },
  workbook_too_large: {
    text: 'is too large: it must have at most {max} {unit}',
    meaning: 'The workbook exceeds a limit when it is unpacked.',
    service: true,
  },
  workbook_too_complex: {
    text: 'takes too long or too much memory to convert; divide the form',
    meaning: 'The conversion reached its limit of 10 seconds or of memory.',
    service: true,
  },
  damaged_workbook: {
    text: 'is damaged; open it in a spreadsheet program and save it again',
    meaning: 'A part of the workbook is missing or cannot be read.',
    service: true,
  },
  missing_sheet: {
    text: 'must be a sheet with the column type',
    meaning: 'The workbook has no sheet of this name, or the sheet lacks a column.',
    service: true,
  },
} as const
