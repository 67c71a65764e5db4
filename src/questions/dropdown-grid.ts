import { columnsIn } from './choices.ts'
import type { QuestionType } from './question-type.ts'

/** A drop-down list for each row. */
export const dropdownGrid: QuestionType<'dropdown-grid'> = {
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
}
