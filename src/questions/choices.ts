import { scoreOf } from '../domain/structure/choices.ts'
import { textOf } from '../domain/structure/language-text.ts'
import type { Choice } from '../domain/structure/questionnaire.ts'
import { arrayOf, codeMember, isRecord, uidOf } from '../domain/structure/walk.ts'
import type { Settings } from './question-type.ts'

/** Returns a choice that is a number: its index, its label and its score. */
export const numberChoice = (value: number): Choice => ({
  index: value,
  uid: value,
  label: { en: String(value) },
  score: value,
  other: false,
  exclusive: false,
})

/** Returns the choices of an author. */
export const authoredChoices = (choices: unknown): Choice[] =>
  arrayOf(choices)
    .filter(isRecord)
    .map((choice, index) => ({
      index,
      uid: uidOf(choice, index),
      ...codeMember(choice),
      label: textOf(choice.label),
      score: scoreOf(choice, index + 1),
      other: choice.other === true,
      exclusive: choice.exclusive === true,
    }))

/** Returns the choices of a question that has nothing but them. */
export const choicesIn = (setting: Settings): Choice[] => authoredChoices(setting('choices'))

/** Returns the columns of a grid. They have no text boxes. */
export const columnsIn = (setting: Settings): Choice[] =>
  choicesIn(setting).map((choice) => ({ ...choice, other: false }))
