import type { QuestionType } from './question-type.ts'

/** A heading or a text between questions. */
export const sectionSeparator: QuestionType<'section-separator'> = {
  idname: 'section-separator',
  synonyms: ['section', 'separator'],
  optionTypes: [],
  fieldType: null,
  settings: {},
  seconds: [0, 0],
}
