import { questionType } from './question-type.ts'

/** A heading or a text between questions. */
export const sectionSeparator = questionType({
  idname: 'section-separator',
  synonyms: ['section', 'separator'],
  optionTypes: [],
  fieldType: null,
  settings: {},
  seconds: [0, 0],
})
