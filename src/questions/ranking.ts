import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { bounds } from './settings.ts'

/**
 * Maximum number of choices for which a ranking shows dropdowns. There is one dropdown for each choice, and each
 * dropdown lists all positions. The total size of the dropdowns therefore grows with the square of the number of
 * choices. If a ranking has more choices, respondents enter the positions in number fields.
 */
export const MAX_LISTED_POSITIONS = 30

/** Choices in the order that respondents give them. */
export const ranking = questionType({
  idname: 'ranking',
  optionTypes: ['ranking'],
  fieldType: 'ranking',
  choices: true,
  unscored: true,
  incomparable: true,
  settings: bounds,
  compileChoices: choicesIn,
  countCells: (choices) => (choices > MAX_LISTED_POSITIONS ? choices : choices * choices),
  hasOptions: (choices) => choices <= MAX_LISTED_POSITIONS,
  seconds: [3, 3],
})
