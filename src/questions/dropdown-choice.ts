import { choicesIn } from './choices.ts'
import type { QuestionType } from './question-type.ts'
import { choiceFilter } from './settings.ts'

/** One choice from a drop-down list. */
export const dropdownChoice: QuestionType<'dropdown-choice'> = {
  idname: 'dropdown-choice',
  synonyms: ['dropdown'],
  optionTypes: ['dropdown', 'single'],
  fieldType: 'single',
  choices: true,
  settings: choiceFilter,
  compileChoices: choicesIn,
  hasOptions: () => true,
  seconds: [4, 0],
}
