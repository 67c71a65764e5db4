import { kindOf, typeOf } from '../../../questions/index.ts'
import { detail } from '../../error-details.ts'
import { problems } from '../../problem.ts'
import { codedChoices } from '../choices.ts'
import { textOf } from '../language-text.ts'
import type { StructureCondition, StructureRule } from '../schema.ts'
import { compileChoices, settingOf } from '../setting.ts'
import type { Structure, StructureItem, StructurePage, StructureQuestion } from '../structure.ts'
import { codeOf, type Json, uidOf } from '../walk.ts'
import { withSetting } from './edit-question.ts'

/**
 * Replaces the pages of a structure, and updates the page numbers in skips.
 * @param pages the pages in their new order, each with its previous position; a new page has no previous position
 */
export function withPages(structure: Structure, pages: readonly { page: StructurePage; was?: number }[]): Structure {
  const previous = pages.map(({ was }) => was)
  const numberAfter = (number: number): number | 'complete' => {
    const same = previous.indexOf(number - 1)
    if (same !== -1) return same + 1
    // If the target of a skip was deleted, the skip now leads to the page that followed the target.
    const next = Math.min(
      ...previous.map((was) => (was !== undefined && was >= number ? was : Number.POSITIVE_INFINITY)),
    )
    return Number.isFinite(next) ? previous.indexOf(next) + 1 : 'complete'
  }
  const form = pages.map(({ page }) => {
    if (!page.skip) return page
    const skip = page.skip.map((skip) => (typeof skip.to === 'number' ? { ...skip, to: numberAfter(skip.to) } : skip))
    return { ...page, skip }
  })
  return { ...structure, form }
}

/**
 * Applies a function to every rule of a structure: to the rules of questions, pages, skips and quotas, and to the filters
 * of choices, which name a question as rules do.
 */
export function mapRules(structure: Structure, map: (rule: Json) => Json): Structure {
  const condition = (value: StructureCondition): StructureCondition => {
    if ('question' in value) return map(value) as StructureRule
    return 'all' in value ? { ...value, all: value.all.map(condition) } : { ...value, any: value.any.map(condition) }
  }
  const conditions = <Owner extends { condition?: StructureCondition; when?: StructureCondition }>(
    owner: Owner,
  ): Owner => ({
    ...owner,
    ...(owner.condition && { condition: condition(owner.condition) }),
    ...(owner.when && { when: condition(owner.when) }),
  })
  return {
    ...structure,
    form: structure.form.map((page) => ({
      ...conditions(page),
      ...(page.skip && { skip: page.skip.map(conditions) }),
      children: page.children.map((question) => {
        const filters = settingOf(question, 'choiceFilter') ?? []
        const after = conditions(question)
        return filters.length > 0 ? withSetting(after, 'choiceFilter', filters.map(map)) : after
      }),
    })),
    ...(structure.quotas && { quotas: structure.quotas.map(conditions) }),
  }
}

const labelsOf = ({ label }: StructureItem): string[] => Object.values(textOf(label)).map((text) => text.trim())

const itemName = (item: StructureItem): string => labelsOf(item)[0] || 'without a label'

/**
 * Updates the positions of choices and rows in the rules about a question, because positions change when items move.
 * Also updates the identifier of the question in these rules.
 * @throws {Problem} `invalid_request` if a rule depends on a removed choice or row
 */
export function followItems(structure: Structure, before: StructureQuestion, after: StructureQuestion): Structure {
  const shape = typeOf(kindOf(before.idname))
  const choicesBefore = (shape?.choices && settingOf(before, 'choices')) || []
  const choicesAfter = settingOf(after, 'choices') ?? []
  const positionAfter = (items: readonly StructureItem[], old: readonly StructureItem[], index: number): number => {
    const uid = uidOf(old[index]!, index)
    const position = items.findIndex((item, at) => (item.uid === undefined ? undefined : uidOf(item, at)) === uid)
    if (position === -1) throw inUse(old[index]!)
    return position
  }
  const value = (old: unknown): unknown => {
    if (Array.isArray(old)) return old.map(value)
    const isPosition = typeof old === 'number' || (typeof old === 'string' && /^\d{1,9}$/.test(old.trim()))
    const names = (choice: StructureItem) => [...labelsOf(choice), codeOf(choice)?.trim()].filter((name) => name)
    const index =
      isPosition && choicesBefore[Number(old)]
        ? Number(old)
        : choicesBefore.findIndex((choice) => names(choice).includes(String(old).trim()))
    if (!choicesBefore[index]) return old
    const position = positionAfter(choicesAfter, choicesBefore, index)
    const item = choicesAfter[position]!
    if (index === Number(old) ? position === index : names(item).includes(String(old).trim())) return old
    return codeOf(choicesBefore[index]!)?.trim() === String(old).trim() ? (codeOf(item) ?? position) : position
  }
  const [codesBefore, codesAfter] = [before, after].map(codesOf) as [string[], string[]]
  const code = (old: unknown): unknown => {
    if (Array.isArray(old)) return old.map(code)
    const index = codesBefore.indexOf(String(old).trim())
    return choicesBefore[index] ? codesAfter[positionAfter(choicesAfter, choicesBefore, index)] : old
  }
  const rows = shape?.grid ? before.children : []
  const rowKeys = new Map(rows.map((_, index) => [`${before.id}_${index}`, index]))
  /** Returns the name of the question or of a row after the change; undefined for the name of another question. */
  const renamed = (old: unknown): unknown => {
    const row = rowKeys.get(String(old))
    if (row !== undefined) return `${after.id}_${positionAfter(after.children, before.children, row)}`
    if (old === before.id) return old
    return old === before.identifier && before.identifier ? (after.identifier ?? after.id) : undefined
  }
  const form = structure.form.map((page) => {
    const loop = page.loop === undefined ? undefined : renamed(page.loop)
    return loop === undefined || loop === page.loop ? page : { ...page, loop: String(loop) }
  })
  return mapRules({ ...structure, form }, (authored) => {
    const other = 'answer' in authored ? renamed(authored.answer) : undefined
    const rule = other === undefined ? authored : { ...authored, answer: other }
    const name = renamed(rule.question)
    if (name === undefined) return rule
    return {
      ...rule,
      question: name,
      ...('value' in rule && { value: value(rule.value) }),
      ...('code' in rule && { code: code(rule.code) }),
    }
  })
}

/** Returns the codes of the choices by position, as exports contain them. */
function codesOf(question: StructureQuestion): string[] {
  const kind = kindOf(question.idname)
  const type = typeOf(kind)?.fieldType ?? 'string'
  return codedChoices({ choices: compileChoices(kind, question), removed: [], type }).map(({ code }) => code.trim())
}

const inUse = (item: StructureItem) =>
  problems.invalidField('choices', 'not_allowed', {}, detail('used_choice', { value: itemName(item) }))
