import { scoreOf } from '../domain/structure/choices.ts'
import { textOf } from '../domain/structure/language-text.ts'
import type { Choice } from '../domain/structure/questionnaire.ts'
import type { StructureChoice } from '../domain/structure/setting-schemas.ts'
import { codeMember, uidOf } from '../domain/structure/walk.ts'

/** Returns a choice that is a number: its index, its label and its score. */
export const numberChoice = (value: number): Choice => ({
  index: value,
  uid: value,
  label: { en: String(value) },
  score: value,
  other: false,
  exclusive: false,
})

/** Returns the choices of a question that has nothing but them. */
export const choicesIn = ({ choices = [] }: { choices?: readonly StructureChoice[] | undefined }): Choice[] =>
  choices.map((choice, index) => ({
    index,
    uid: uidOf(choice, index),
    ...codeMember(choice),
    label: textOf(choice.label),
    score: scoreOf(choice, index + 1),
    other: choice.other === true,
    exclusive: choice.exclusive === true,
  }))

/** Returns the columns of a grid. They have no text boxes. */
export const columnsIn: typeof choicesIn = (settings) =>
  choicesIn(settings).map((choice) => ({ ...choice, other: false }))
