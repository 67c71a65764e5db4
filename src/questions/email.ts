import { questionType } from './question-type.ts'

/** An email address. */
export const email = questionType({
  idname: 'email',
  optionTypes: ['email'],
  fieldType: 'string',
  settings: {},
  compileSettings: () => ({ validation: { kind: 'email' } }),
  seconds: [8, 0],
})
