import { detail } from '../domain/error-details.ts'
import { noText, yesText } from '../domain/structure/language-text.ts'
import { arrayOf } from '../domain/structure/walk.ts'
import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { choices } from './settings.ts'

/**
 * Yes or no. The answer true is the choice with index 0, and the answer false is the choice with index 1. The default
 * choices score 1 and 0, so that the mean is the share of yes.
 */
export const booleanChoice = questionType({
  idname: 'boolean-choice',
  synonyms: ['boolean'],
  optionTypes: ['boolean'],
  fieldType: 'boolean',
  yesNo: true,
  settings: { choices },
  checkSettings({ errors, setting, pointerOf }) {
    const count = arrayOf(setting('choices')).length
    if (count !== 0 && count !== 2)
      errors.add(pointerOf('choices'), 'invalid_structure', {}, detail('choices_of_yes_no'))
  },
  compileChoices(settings) {
    const authored = choicesIn(settings)
    if (authored.length === 2) return authored.map((choice) => ({ ...choice, other: false, exclusive: false }))
    return [yesText, noText].map((label, index) => ({
      index,
      uid: index,
      label,
      score: 1 - index,
      other: false,
      exclusive: false,
    }))
  },
  seconds: [2, 0],
})
