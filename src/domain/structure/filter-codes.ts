import { filtersOf } from './choice-attributes.ts'
import { codeOf } from './code.ts'
import { kindOf, shapeOf } from './kinds.ts'
import type { RemovedItems } from './numbering.ts'
import { optionOf, settingOf } from './setting.ts'
import type { Structure, StructureQuestion } from './structure.ts'
import { arrayOf, isRecord } from './walk.ts'

/** Returns the ids, identifiers and response keys of the questions that filter choices. */
const filteringNames = ({ form }: Structure): Set<string> =>
  new Set(
    form.flatMap(({ children }) => children.flatMap((source) => filtersOf(source).map(({ question }) => question))),
  )

/**
 * Writes the code of each choice that attributes can name and that has none: its position from 1, or the next unused
 * number if that is the code of another choice. A code stays when the choice moves, so the attributes of other choices
 * keep their meaning.
 * @param removed choices of earlier versions, whose codes are not used again
 */
export function withFilterCodes(structure: Structure, removed: readonly RemovedItems[]): Structure {
  const names = filteringNames(structure)
  if (names.size === 0) return structure
  const removedChoices = new Map(removed.map(({ question, choices }) => [question, choices]))
  const isFiltering = ({ id, identifier, idname, children }: StructureQuestion): boolean =>
    names.has(id) ||
    (identifier !== undefined && names.has(identifier)) ||
    (shapeOf(kindOf(idname))?.grid === true && children.some((_, row) => names.has(`${id}_${row}`)))
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) =>
      isFiltering(question) ? withCodes(question, removedChoices.get(question.id) ?? []) : question,
    ),
  }))
  return { ...structure, form }
}

function withCodes(question: StructureQuestion, removed: readonly { code?: string }[]): StructureQuestion {
  const choices = arrayOf(settingOf(question, 'choices')).filter(isRecord)
  if (choices.length === 0 || choices.every((choice) => codeOf(choice) !== undefined)) return question
  const used = new Set([...choices, ...removed].flatMap(({ code }) => codeOf({ code })?.trim() ?? []))
  let next = choices.length
  const coded = choices.map((choice, index) => {
    if (codeOf(choice) !== undefined) return choice
    let code = String(index + 1)
    while (used.has(code)) code = String(++next)
    used.add(code)
    return { ...choice, code }
  })
  const [option, ...more] = question.children
  return optionOf(question)?.choices !== undefined
    ? { ...question, children: [{ ...option, choices: coded }, ...more] }
    : { ...question, choices: coded }
}
