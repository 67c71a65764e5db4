/** The media type of Excel workbooks (.xlsx; ECMA-376). */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
