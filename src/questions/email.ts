import type { QuestionType } from './question-type.ts'

/** An email address. */
export const email: QuestionType<'email'> = {
  idname: 'email',
  optionTypes: ['email'],
  fieldType: 'string',
  settings: {},
  compileSettings: () => ({ validation: { kind: 'email' } }),
  seconds: [8, 0],
}
