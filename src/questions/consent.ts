import { text } from '../domain/structure/json-schema.ts'
import { textOf, yesText } from '../domain/structure/language-text.ts'
import { questionType } from './question-type.ts'

/** A checkbox. Its text and the version of its text are stored with the answer. */
export const consent = questionType({
  idname: 'consent',
  optionTypes: ['consent'],
  fieldType: 'boolean',
  onlyYes: true,
  incomparable: true,
  parts: ['version', 'text'],
  settings: {
    statement: text(
      'Text next to the checkbox. Default: “I agree”. It is stored with the answer, after title and description.',
    ),
    version: {
      type: 'string',
      maxLength: 100,
      description: 'Version of the statement, stored with the answer. Change it when you change the texts.',
    },
  },
  compileChoices: () => [{ index: 0, uid: 0, label: yesText, score: 1, other: false, exclusive: false }],
  compileSettings: ({ statement, version }) => ({
    ...(statement && { statement: textOf(statement) }),
    ...(version && { version }),
  }),
  seconds: [2, 0],
})
