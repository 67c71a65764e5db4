import { text } from '../domain/structure/json-schema.ts'
import type { Choice, RemovedChoice } from '../domain/structure/questionnaire.ts'
import { numberChoice } from './choices.ts'
import { questionType } from './question-type.ts'

/** Limits and default of the number of stars. */
const STEPS = { min: 3, max: 10, default: 5 } as const

/** A number of stars: the choices are the numbers from 1. */
export const rating = questionType({
  idname: 'rating',
  optionTypes: ['rating'],
  fieldType: 'number',
  settings: {
    steps: {
      type: 'integer',
      minimum: STEPS.min,
      maximum: STEPS.max,
      description: `Number of stars. Default: ${STEPS.default}.`,
    },
    leftLabel: text('Label of one star.'),
    rightLabel: text('Label of the highest number of stars.'),
  },
  compileChoices({ steps }) {
    // A question that was stored before ratings existed can have any number here.
    const count = Number.isInteger(steps) ? Math.min(STEPS.max, Math.max(STEPS.min, Number(steps))) : STEPS.default
    return Array.from({ length: count }, (_, index) => numberChoice(index + 1))
  },
  // Responses contain ratings above the present number of stars if an earlier version of the survey had more stars.
  removedChoices: (choices: readonly Choice[]): RemovedChoice[] =>
    Array.from({ length: STEPS.max - choices.length }, (_, index) => numberChoice(choices.length + index + 1)),
  seconds: [2, 0],
})
