import { columnsIn } from './choices.ts'
import { questionType } from './question-type.ts'

/** A drop-down list for each row. */
export const dropdownGrid = questionType({
  idname: 'dropdown-grid',
  optionTypes: ['dropdown', 'single'],
  fieldType: 'single',
  grid: true,
  choices: true,
  settings: {},
  compileChoices: columnsIn,
  countCells: (choices, rows) => rows * choices,
  hasOptions: () => true,
  seconds: [0, 4],
})
