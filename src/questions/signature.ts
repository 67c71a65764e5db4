import { SIGNATURE_MEGABYTES } from '../domain/structure/file-answer.ts'
import { questionType } from './question-type.ts'

/** A typed name, and optionally a drawing. */
export const signature = questionType({
  idname: 'signature',
  optionTypes: ['signature'],
  fieldType: 'string',
  incomparable: true,
  parts: ['image'],
  settings: {},
  compileSettings: () => ({ maxFiles: 1, maxSize: SIGNATURE_MEGABYTES, fileTypes: ['image'] }),
  seconds: [15, 0],
  sampleTexts: ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Noor Khan', 'Li Na'],
})
