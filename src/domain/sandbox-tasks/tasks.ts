/** The tasks of `runInSandbox`. A task cannot throw a `Problem`, because errors lose their class; it returns the errors. */
export { movedSurveyTask } from '../moving/read.ts'
export { rehearsalTask } from '../rehearsal/rehearse.ts'
export { xlsformTask } from '../structure/xlsform/read.ts'
export { workbookTableTask } from '../table/workbook-table.ts'
