import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { bounds, choiceFilter } from './settings.ts'

/** Any number of choices. */
export const multipleChoice = questionType({
  idname: 'multiple-choice',
  optionTypes: ['multiple', 'multi', 'checkbox'],
  fieldType: 'multi',
  choices: true,
  settings: { ...bounds, ...choiceFilter },
  compileChoices: choicesIn,
  seconds: [3, 0.3],
})
