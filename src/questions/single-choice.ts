import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { choiceFilter } from './settings.ts'

/** One of several choices. */
export const singleChoice = questionType({
  idname: 'single-choice',
  optionTypes: ['single', 'radio'],
  fieldType: 'single',
  choices: true,
  settings: choiceFilter,
  compileChoices: choicesIn,
  seconds: [2, 0],
})
