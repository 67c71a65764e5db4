import { columnsIn } from './choices.ts'
import { questionType } from './question-type.ts'

/** Several of the same choices for each row. */
export const multipleChoiceGrid = questionType({
  idname: 'multiple-choice-grid',
  optionTypes: ['multiple', 'multi', 'checkbox'],
  fieldType: 'multi',
  grid: true,
  choices: true,
  settings: {},
  compileChoices: columnsIn,
  countCells: (choices, rows) => rows * choices,
  seconds: [0, 5],
})
