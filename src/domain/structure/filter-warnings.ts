import { indexByName } from './check-condition.ts'
import { isPresent } from './check-member.ts'
import { attributeValues, FILTERED_KINDS, filtersOf, filterValueOf, isFiltering } from './choice-attributes.ts'
import { codeOf } from './code.ts'
import { kinds, shapeOf } from './kinds.ts'
import { outline, type QuestionOutline } from './outline.ts'
import { optionOf, settingOf } from './setting.ts'
import { arrayOf, isRecord, type Json, pageNodes } from './walk.ts'
import type { StructureWarning } from './warnings.ts'

/** A question whose answer filters choices, with its choices by the texts with which attributes name them. */
interface Filtering {
  question: QuestionOutline
  attribute: string
  choices: ReadonlyMap<string, Json>
}

/**
 * Returns a warning for each choice that no answer to the earlier questions can match. The attributes of two filters are
 * compared if one of their questions filters the choices of the other, as a country filters the counties.
 */
export function filterWarnings(form: unknown): StructureWarning[] {
  const questions = outline(pageNodes(form))
  const byName = indexByName(questions)
  const filteringOf = ({ source, kind }: QuestionOutline): Filtering[] =>
    (FILTERED_KINDS.has(kind) ? filtersOf(source) : []).flatMap(({ question: name, attribute }) => {
      const question = byName.get(name)
      return question && isFiltering(question.kind) ? [{ question, attribute, choices: choicesByName(question) }] : []
    })
  return questions.flatMap((question) => {
    const filters = filteringOf(question).filter(({ choices }) => choices.size > 0)
    if (filters.length === 0) return []
    const filtersOfFilters = filters.map((filter) => filteringOf(filter.question))
    const list = `${question.pointer}${isPresent(optionOf(question.source)?.choices) ? '/children/0' : ''}/choices`
    return arrayOf(settingOf(question.source, 'choices')).flatMap((choice, index): StructureWarning[] => {
      if (!isRecord(choice)) return []
      const matching = filters.map(({ attribute, choices }) =>
        attributeValues(choice, attribute)?.filter((value) => choices.has(value)),
      )
      const isPossible = filters.every(({ choices }, position) => {
        const values = matching[position]
        if (!values) return true
        return values.some((value) =>
          filtersOfFilters[position]!.every(({ question: other, attribute }) => {
            const also = filters.findIndex((filter) => filter.question === other)
            const needed = attributeValues(choices.get(value)!, attribute)
            return also === -1 || !matching[also] || !needed || needed.some((one) => matching[also]!.includes(one))
          }),
        )
      })
      return isPossible ? [] : [warningOf(`${list}/${index}`, choice, index)]
    })
  })
}

/** Returns the choices of a question by the texts with which attributes name them; none if its answers are no choices. */
function choicesByName({ source, kind }: QuestionOutline): ReadonlyMap<string, Json> {
  const fieldType = kind === 'unknown' ? null : kinds[kind].fieldType
  const authored = arrayOf(shapeOf(kind)?.grid ? source.choices : settingOf(source, 'choices')).filter(isRecord)
  const choices = fieldType === 'boolean' && authored.length !== 2 ? [{}, {}] : authored
  if (fieldType !== 'single' && fieldType !== 'multi' && fieldType !== 'boolean') return new Map()
  return new Map(
    choices.map((choice, index) => {
      const code = codeOf(choice)
      return [filterValueOf({ index, ...(code !== undefined && { code }) }), choice]
    }),
  )
}

function warningOf(pointer: string, { label }: Json, index: number): StructureWarning {
  const text = isRecord(label) ? Object.values(label)[0] : label
  const name = (typeof text === 'string' && text.trim() ? text.trim() : String(index + 1)).slice(0, 60).toWellFormed()
  return {
    pointer,
    code: 'choice_never_shown',
    message: `“${name}” can never be shown, because no answer to the earlier questions matches its attributes.`,
    values: { name },
  }
}
