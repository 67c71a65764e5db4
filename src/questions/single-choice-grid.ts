import { columnsIn } from './choices.ts'
import { questionType } from './question-type.ts'

/** One of the same choices for each row. */
export const singleChoiceGrid = questionType({
  idname: 'single-choice-grid',
  optionTypes: ['single', 'radio'],
  fieldType: 'single',
  grid: true,
  choices: true,
  settings: {},
  compileChoices: columnsIn,
  countCells: (choices, rows) => rows * choices,
  seconds: [0, 3],
})
