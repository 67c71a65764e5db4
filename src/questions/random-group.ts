import { ref } from '../domain/structure/json-schema.ts'
import { MAX_WEIGHT } from '../domain/structure/setting-schemas.ts'
import { arrayOf, isPresent, membersOf } from '../domain/structure/walk.ts'
import { choicesIn } from './choices.ts'
import { questionType } from './question-type.ts'
import { choices } from './settings.ts'

/** A group to which the service assigns each respondent at random, such as for an A/B test. */
export const randomGroup = questionType({
  idname: 'random-group',
  optionTypes: ['group'],
  fieldType: 'single',
  choices: true,
  unscored: true,
  weighted: true,
  answeredBy: 'assignment',
  settings: { choices: { ...choices, items: ref('GroupChoice'), description: 'The groups.' } },
  checkSettings({ errors, setting, pointerOf }) {
    for (const [index, choice] of arrayOf(setting('choices')).entries()) {
      const { weight } = membersOf(choice)
      if (isPresent(weight) && !isWeight(weight))
        errors.addType(`${pointerOf('choices')}/${index}/weight`, 'type_integer_range', { min: 1, max: MAX_WEIGHT })
    }
  },
  compileChoices: ({ choices = [] }) =>
    choicesIn({ choices }).map((choice, index) => {
      const { weight } = choices[index]!
      return { ...choice, other: false, exclusive: false, weight: isWeight(weight) ? weight : 1 }
    }),
  countCells: () => 0,
  seconds: [0, 0],
})

const isWeight = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_WEIGHT
