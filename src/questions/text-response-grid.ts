import { columnsIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { lines } from './settings.ts'

/** A text for each row. */
export const textResponseGrid = questionType({
  idname: 'text-response-grid',
  optionTypes: ['string', 'text'],
  fieldType: 'string',
  grid: true,
  unscored: true,
  settings: lines,
  compileChoices: columnsIn,
  countCells: (_, rows) => rows,
  seconds: [0, 10],
})
