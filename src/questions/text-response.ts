import { ref } from '../domain/structure/json-schema.ts'
import { questionType } from './question-type.ts'
import { lines } from './settings.ts'

/** A text of one or several lines. */
export const textResponse = questionType({
  idname: 'text-response',
  synonyms: ['text'],
  optionTypes: ['string', 'text'],
  fieldType: 'string',
  settings: { ...lines, validation: ref('TextValidation') },
  seconds: [12, 0],
})
