import { attributeValues, filtersOf, filterValueOf } from '../choice-attributes.ts'
import { codeOf } from '../code.ts'
import { settingOf } from '../setting.ts'
import type { Structure, StructureQuestion } from '../structure.ts'
import { uidOf } from '../uid.ts'
import { arrayOf, isRecord, type Json } from '../walk.ts'
import { withSetting } from './edit-question.ts'

const choicesOf = (question: StructureQuestion): Json[] => arrayOf(settingOf(question, 'choices')).filter(isRecord)

/** Returns the attributes of a question that name answers to another question. */
function attributesAbout(source: StructureQuestion, { id, identifier, children }: StructureQuestion): string[] {
  const rows = children.map((_, row) => `${id}_${row}`)
  return filtersOf(source)
    .filter(({ question }) => question === id || (identifier && question === identifier) || rows.includes(question))
    .map(({ attribute }) => attribute)
}

/**
 * Returns the question after a change in which its choices keep the codes that attributes of other choices name, if the
 * author clears them; and these attributes follow each code that the author changes.
 */
export function followCodes(
  structure: Structure,
  before: StructureQuestion,
  after: StructureQuestion,
): { structure: Structure; after: StructureQuestion } {
  const isNamed = structure.form.some(({ children }) => children.some((one) => attributesAbout(one, before).length > 0))
  if (!isNamed) return { structure, after }
  const values = new Map(
    choicesOf(before).map((choice, index) => {
      const code = codeOf(choice)
      return [uidOf(choice, index), filterValueOf({ index, ...(code !== undefined && { code }) })]
    }),
  )
  const renamed = new Map<string, string>()
  const choices = choicesOf(after).map((choice) => {
    const old = values.get(Number(choice.uid))
    if (old === undefined) return choice
    const code = codeOf(choice)?.trim()
    if (code === undefined) return { ...choice, code: old }
    if (code !== old) renamed.set(old, code)
    return choice
  })
  const kept = choices.length > 0 ? withSetting(after, 'choices', choices) : after
  if (renamed.size === 0) return { structure, after: kept }
  const form = structure.form.map((page) => ({
    ...page,
    children: page.children.map((question) => {
      const names = attributesAbout(question, before)
      const named = choicesOf(question).map((choice) => withRenamedValues(choice, names, renamed))
      return names.length > 0 ? withSetting(question, 'choices', named) : question
    }),
  }))
  return { structure: { ...structure, form }, after: kept }
}

function withRenamedValues(choice: Json, names: readonly string[], renamed: ReadonlyMap<string, string>): Json {
  const changed = names.flatMap((name): [string, unknown][] => {
    const values = attributeValues(choice, name)
    if (!values?.some((value) => renamed.has(value))) return []
    const after = values.map((value) => renamed.get(value) ?? value)
    return [[name, after.length === 1 ? after[0] : after]]
  })
  if (changed.length === 0) return choice
  return { ...choice, attributes: { ...(choice.attributes as Json), ...Object.fromEntries(changed) } }
}
