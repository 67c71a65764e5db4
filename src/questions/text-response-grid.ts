import { columnsIn } from './choices.ts'
import type { QuestionType } from './question-type.ts'
import { lines } from './settings.ts'

/** A text for each row. */
export const textResponseGrid: QuestionType<'text-response-grid'> = {
  idname: 'text-response-grid',
  optionTypes: ['string', 'text'],
  fieldType: 'string',
  grid: true,
  unscored: true,
  settings: lines,
  compileChoices: columnsIn,
  countCells: (_, rows) => rows,
  seconds: [0, 10],
}
