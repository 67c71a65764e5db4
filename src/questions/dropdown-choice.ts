import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { choiceFilter } from './settings.ts'

/** One choice from a drop-down list. */
export const dropdownChoice = questionType({
  idname: 'dropdown-choice',
  synonyms: ['dropdown'],
  optionTypes: ['dropdown', 'single'],
  fieldType: 'single',
  choices: true,
  settings: choiceFilter,
  compileChoices: choicesIn,
  hasOptions: () => true,
  seconds: [4, 0],
})
