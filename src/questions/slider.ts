import { detail } from '../domain/error-details.ts'
import { text } from '../domain/structure/json-schema.ts'
import { MAX_NUMBER } from '../domain/structure/number.ts'
import { isPresent } from '../domain/structure/walk.ts'
import { questionType } from './question-type.ts'
import { unitOf, value } from './settings.ts'

const DEFAULTS = { min: 0, max: 100, step: 1 } as const
/** Maximum number of values of a slider. */
export const MAX_SLIDER_VALUES = 10_000

/** A number between two limits. */
export const slider = questionType({
  idname: 'slider',
  optionTypes: ['slider'],
  fieldType: 'decimal',
  settings: {
    min: value(`Lowest value. Default: ${DEFAULTS.min}.`),
    max: value(`Highest value. Default: ${DEFAULTS.max}.`),
    step: {
      type: 'number',
      minimum: 1e-10,
      maximum: MAX_NUMBER,
      description: `Distance between two values. Default: ${DEFAULTS.step}.`,
    },
    unit: text('Unit, shown next to the value.'),
    leftLabel: text('Label of the lowest value.'),
    rightLabel: text('Label of the highest value.'),
  },
  checkSettings({ errors, setting, pointerOf }) {
    const [min, max, step] = (['min', 'max', 'step'] as const).map((name) => {
      const own = setting(name)
      return isPresent(own) ? own : DEFAULTS[name]
    })
    if (typeof min !== 'number' || typeof max !== 'number') return
    if (min >= max) {
      errors.add(pointerOf('min'), 'too_large', { max }, detail('minimum_below', { member: 'max' }))
      return
    }
    if (typeof step !== 'number' || step <= 0) return
    if (step > max - min) errors.add(pointerOf('step'), 'too_large', { max: max - min }, detail('step_distance'))
    else if ((max - min) / step > MAX_SLIDER_VALUES)
      errors.add(
        pointerOf('step'),
        'too_small',
        { min: (max - min) / MAX_SLIDER_VALUES },
        detail('slider_values', { max: MAX_SLIDER_VALUES.toLocaleString('en') }),
      )
  },
  compileSettings({ min = DEFAULTS.min, max = DEFAULTS.max, step = DEFAULTS.step, unit }) {
    return { min, max, ...unitOf({ unit }), step: step > 0 ? step : DEFAULTS.step }
  },
  seconds: [4, 0],
})
