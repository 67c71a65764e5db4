import { CHECK } from '../domain/structure/json-schema.ts'
import { questionType } from './question-type.ts'

/** A value from the address of the survey. */
export const hiddenField = questionType({
  idname: 'hidden-field',
  synonyms: ['hidden'],
  optionTypes: ['hidden'],
  fieldType: 'hidden',
  answeredBy: 'link',
  settings: {
    default: {
      anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
      description: 'Value used if the survey URL contains none.',
      [CHECK](errors, pointer, value) {
        if (!['string', 'number', 'boolean'].includes(typeof value)) errors.addType(pointer, 'type_string')
      },
    },
  },
  seconds: [0, 0],
})
