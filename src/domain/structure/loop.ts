import { kindOf, typeOf } from '../../questions/index.ts'
import { mapRules } from './edit/references.ts'
import { LOOP, LOOP_MARK } from './outline.ts'
import type { StructureSkip } from './schema.ts'
import { settingOf } from './setting.ts'
import type { Structure, StructureItem, StructurePage, StructureQuestion } from './structure.ts'
import { replacePlaceholders } from './text.ts'
import { isRecord, uidOf } from './walk.ts'

/** Reports whether respondents can choose several of the choices of a question. */
export function acceptsSeveral(question: StructureQuestion): boolean {
  const shape = typeOf(kindOf(question.idname))
  if (!shape?.choices || shape.grid) return false
  return shape.fieldType === 'multi' || settingOf(question, 'multiple') === true
}

const expansions = new WeakMap<Structure, Structure>()
const origins = new WeakMap<StructurePage, number>()
const originals = new WeakMap<StructureQuestion, string>()

/**
 * Returns a structure in which each page with `loop` is replaced by one page for each choice of the question that
 * `loop` names. Neighbouring pages with the same `loop` are repeated together. A repeated page is shown if its choice is
 * ticked; its questions have the stable number of the choice in their IDs, so their answers stay when choices move.
 * Placeholders `{{ loop }}` become the label of the choice. An exclusive choice, such as “None of these”, repeats nothing.
 * @param structure a normalised structure
 */
export function expandLoops(structure: Structure): Structure {
  if (!structure.form.some(({ loop }) => loop)) return structure
  let expanded = expansions.get(structure)
  if (!expanded) {
    expanded = expand(structure)
    expansions.set(structure, expanded)
  }
  return expanded
}

/** Returns the position from 0 of the page of an expanded structure in the structure itself; undefined if unknown. */
export const originOf = (page: StructurePage): number | undefined => origins.get(page)

/** Returns the ID that a repeated question has in the structure itself. */
export const originalId = (question: StructureQuestion): string => originals.get(question) ?? question.id

function expand(structure: Structure): Structure {
  const { form } = structure
  const pages: StructurePage[] = []
  /** The first page that replaces each page, counted from 1. */
  const numbers: number[] = []
  for (let at = 0; at < form.length; ) {
    const { loop } = form[at]!
    const source = loop ? questionNamed(structure, loop) : undefined
    const length = source ? form.slice(at).findIndex((page) => page.loop !== loop) : 1
    const block = form.slice(at, length === -1 ? undefined : at + length)
    for (const index of block.keys()) numbers.push(pages.length + index + 1)
    const repeat = source ? iterationsOf(structure, source, block) : [(page: StructurePage) => ({ ...page })]
    for (const copy of repeat)
      for (const [index, page] of block.entries()) {
        const { loop: _, ...one } = copy(page)
        origins.set(one, at + index)
        pages.push(one)
      }
    at += block.length
  }
  const target = (to: StructureSkip['to']): StructureSkip['to'] => {
    const number = typeof to === 'number' ? numbers[to - 1] : undefined
    if (typeof to !== 'number') return to
    return number === undefined || number > pages.length ? 'complete' : number
  }
  const withTargets = pages.map((page) => {
    if (!page.skip) return page
    const copy = { ...page, skip: page.skip.map((skip) => ({ ...skip, to: target(skip.to) })) }
    origins.set(copy, origins.get(page)!)
    return copy
  })
  return { ...structure, form: withTargets }
}

const questionNamed = ({ form }: Structure, name: string): StructureQuestion | undefined => {
  const questions = form.flatMap(({ children }) => children)
  return questions.find(({ id }) => id === name) ?? questions.find(({ identifier }) => identifier === name)
}

/** Returns a function for each choice, which copies a page for this choice. */
function iterationsOf(structure: Structure, source: StructureQuestion, block: readonly StructurePage[]) {
  const choices = settingOf(source, 'choices') ?? []
  const questions = block.flatMap(({ children }) => children)
  return choices.flatMap((choice, position) => {
    if (choice.exclusive === true) return []
    const rename = renamer(questions, uidOf(choice, position))
    const label = labelOf(structure, source, choice, position)
    const ticked = { question: source.id, op: 'contains' as const, value: position }
    return [
      (page: StructurePage): StructurePage => {
        const { form } = mapRules({ ...structure, quotas: undefined, form: [page] } as Structure, (rule) => ({
          ...rule,
          question: rename(String(rule.question)),
          ...('answer' in rule && { answer: rename(String(rule.answer)) }),
        }))
        const { condition, children, ...frame } = form[0]!
        const text = (owner: object) => withTexts(owner, structure, label, rename)
        return {
          ...(text(frame) as Omit<StructurePage, 'children'>),
          condition: { all: condition ? [ticked, condition] : [ticked] },
          children: children.map((question, index) => {
            const { id, identifier } = question
            const copy = { ...(text(question) as StructureQuestion), id: rename(id) }
            if (identifier) copy.identifier = rename(identifier)
            originals.set(copy, page.children[index]!.id)
            return copy
          }),
        }
      },
    ]
  })
}

/** Returns a function that returns the name of a question, or of a part of its answer, in a repetition. */
function renamer(questions: readonly StructureQuestion[], uid: number): (name: string) => string {
  const names = new Set(questions.flatMap(({ id, identifier }) => (identifier ? [id, identifier] : [id])))
  return (name) => {
    if (names.has(name)) return `${name}${LOOP_MARK}${uid}`
    const [, base, part] = /^(.*?)(_\d+|\\.*)$/s.exec(name) ?? []
    return base !== undefined && names.has(base) ? `${base}${LOOP_MARK}${uid}${part}` : name
  }
}

/**
 * Returns the label of a choice by language. Where `isPiped` is true, the text of an “other” choice replaces its label.
 */
function labelOf({ languages }: Structure, source: StructureQuestion, choice: StructureItem, position: number) {
  const ofImage = isRecord(choice.image) ? choice.image.alt : undefined
  const texts = [choice.label, ofImage].find(
    (text) => isRecord(text) && Object.values(text).some((one) => typeof one === 'string' && one.trim() !== ''),
  ) as Record<string, string> | undefined
  const code = languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  return (language: string, isPiped: boolean): string => {
    const label = (
      texts?.[language] ||
      texts?.[code] ||
      Object.values(texts ?? {}).find((one) => one) ||
      String(position + 1)
    ).trim()
    const isPlain = /^[^|{}"]{1,120}$/
    return isPiped && choice.other === true && isPlain.test(source.id) && isPlain.test(label)
      ? `{{ ${source.id}\\other | default: "${label}" }}`
      : label
  }
}

/**
 * Replaces `{{ loop }}` by the label, and the names in other placeholders, in all texts by language. Only titles and
 * descriptions pipe answers: the labels of choices also stand in exports.
 */
function withTexts(
  owner: object,
  { languages }: Structure,
  label: ReturnType<typeof labelOf>,
  rename: (name: string) => string,
): object {
  const codes = new Set(languages.map(({ code }) => code))
  const map = (value: unknown, isPiped = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => map(item))
    if (!isRecord(value)) return value
    const entries = Object.entries(value)
    const isText = entries.every(([code, text]) => codes.has(code) && typeof text === 'string')
    const textOf = (code: string, text: string) =>
      text
        .split(LOOP)
        .map((part) => replacePlaceholders(part, rename))
        .join(label(code, isPiped))
    return Object.fromEntries(
      entries.map(([name, member]) => [name, isText ? textOf(name, String(member)) : map(member)]),
    )
  }
  return Object.fromEntries(
    Object.entries(owner).map(([name, member]) => [name, map(member, name === 'title' || name === 'description')]),
  )
}
