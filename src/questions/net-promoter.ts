import { scoreOf } from '../domain/structure/choices.ts'
import { text } from '../domain/structure/json-schema.ts'
import { textOf } from '../domain/structure/language-text.ts'
import { recordsIn } from '../domain/structure/walk.ts'
import { numberChoice } from './choices.ts'
import { questionType } from './question-type.ts'

/**
 * A number from 0 to 10. In old structures, `categories` contains labels for these choices, from 10 down to 0. The
 * `score` beside a label is the number of the choice.
 */
export const netPromoter = questionType({
  idname: 'net-promoter',
  synonyms: ['nps'],
  // `drill-down` is an old name.
  optionTypes: ['net-promoter', 'drill-down'],
  fieldType: 'number',
  promoters: true,
  settings: { leftLabel: text('Label of 0.'), rightLabel: text('Label of 10.') },
  compileChoices({ categories = [] }) {
    const labelled = categories.flatMap(({ choices }) => recordsIn(choices))
    return Array.from({ length: 11 }, (_, value) => {
      const source = labelled.find((choice) => scoreOf(choice, Number.NaN) === value)
      const label = source ? textOf(source.label) : {}
      return { ...numberChoice(value), ...(Object.keys(label).length > 0 && { label }) }
    })
  },
  seconds: [3, 0],
})
