import { isAutomatic } from '../../questions/index.ts'
import { detail } from '../error-details.ts'
import { acceptsSeveralChoices, additionalKeys, countCells, LOOP, LOOP_MARK, type QuestionOutline } from './outline.ts'
import { authoredSetting } from './setting.ts'
import { arrayOf, type FieldErrors, isPresent, type Json, type PageNode, recordsIn, under } from './walk.ts'

/** Maximum number of questions, and of their choices, that all loops of a structure repeat. */
const MAX_LOOP_QUESTIONS = 1_000
const MAX_LOOP_CELLS = 50_000
/** Maximum number of characters of all repetitions as JSON, with the labels in place of `{{ loop }}`. */
const MAX_LOOP_CHARACTERS = 2_000_000
/** Maximum length of the ID of a repeated question, to which the number of a choice is added. */
const MAX_NAME_CHARACTERS = 240

/** The pages of an authored structure that are repeated for each choice of a question. */
export class Loops {
  readonly #pages: readonly PageNode[]
  readonly #questions: readonly QuestionOutline[]
  /** By page: the number of the first page that is repeated together with it. */
  readonly #blocks = new Map<number, number>()
  readonly #sources = new Map<number, QuestionOutline | undefined>()

  constructor(pages: readonly PageNode[], questions: readonly QuestionOutline[]) {
    this.#pages = pages
    this.#questions = questions
    for (const [index, { page }] of pages.entries()) {
      const name = page?.loop
      if (typeof name !== 'string' || name === '') continue
      const isFirst = pages[index - 1]?.page?.loop !== name
      this.#blocks.set(index + 1, isFirst ? index + 1 : this.#blocks.get(index)!)
      this.#sources.set(index + 1, isFirst ? sourceNamed(questions, name) : this.#sources.get(index))
    }
  }

  /** How often a page is repeated; 1 for any other page. */
  times(page: number): number {
    const source = this.#sources.get(page)
    return source ? Math.max(1, choicesOf(source).length) : 1
  }

  /** Reports whether a question is repeated, but not together with the page on which something refers to it. */
  isOutside(question: QuestionOutline, page: number | undefined): boolean {
    const block = this.#blocks.get(question.page)
    return block !== undefined && (page === undefined || block !== this.#blocks.get(page))
  }

  /** Checks the pages with loops, what they contain, and how much they repeat. */
  check(errors: FieldErrors): void {
    let [repeated, cells, characters] = [0, 0, 0]
    for (const [number, block] of this.#blocks) {
      const { page, pointer } = this.#pages[number - 1]!
      const at = under(pointer, 'loop')
      const source = this.#sources.get(number)
      const before = { repeated, cells, characters }
      const questions = this.#questions.filter((question) => question.page === number)
      if (!source) errors.add(at, 'unknown_question', { value: String(page!.loop).slice(0, 60).toWellFormed() })
      else if (source.page >= block) errors.add(at, 'out_of_reach', {}, detail('earlier_page'))
      else if (!acceptsSeveralChoices(source)) errors.add(at, 'not_allowed', {}, detail('loop_source'))
      else if (this.#blocks.has(source.page)) errors.add(at, 'not_allowed', {}, detail('loop_in_loop'))
      if (arrayOf(page!.skip).length > 0) errors.add(under(pointer, 'skip'), 'not_allowed', {}, detail('not_repeated'))
      if (isPresent(page!.randomBlock) && page!.randomBlock !== '')
        errors.add(under(pointer, 'randomBlock'), 'not_allowed', {}, detail('not_repeated'))
      for (const question of questions) {
        const { id = '', kind, source: authored } = question
        if (isAutomatic(kind)) errors.add(under(question.pointer, 'idname'), 'not_allowed', {}, detail('not_repeated'))
        if (id.length > MAX_NAME_CHARACTERS)
          errors.add(under(question.pointer, 'id'), 'too_long', { max: MAX_NAME_CHARACTERS })
        const choices = arrayOf(authoredSetting(authored, 'choices')).length
        cells += this.times(number) * Math.max(1, countCells(kind, choices, arrayOf(authored.children).length))
      }
      repeated += this.times(number) * Math.max(1, questions.length)
      characters += this.times(number) * lengthOf(page!, source)
      for (const [sum, earlier, max, name] of [
        [repeated, before.repeated, MAX_LOOP_QUESTIONS, 'loop_questions'],
        [cells, before.cells, MAX_LOOP_CELLS, 'loop_cells'],
        [characters, before.characters, MAX_LOOP_CHARACTERS, 'loop_characters'],
      ] as const)
        if (sum > max && earlier <= max) errors.add(at, 'too_many', { max }, detail(name, { max }))
    }
    this.#checkNames(errors)
  }

  /** Checks that no question has a name that a repeated question could get. */
  #checkNames(errors: FieldErrors): void {
    const repeated = new Set<string | undefined>()
    for (const { page, id, identifier } of this.#questions)
      if (this.#blocks.has(page)) repeated.add(id).add(identifier || undefined)
    if (repeated.size === 0) return
    for (const question of this.#questions)
      for (const member of ['id', 'identifier'] as const) {
        const name = question[member]
        if (!name) continue
        const taken = [name, ...additionalKeys(question, name)].find((key) => repeated.has(baseOf(key)))
        if (taken === undefined) continue
        const value = taken.slice(0, 60).toWellFormed()
        errors.add(under(question.pointer, member), 'duplicate', { value }, detail('loop_name', { value }))
      }
  }
}

const NAME = new RegExp(`^(.+)${LOOP_MARK}\\d+(?:_\\d+|\\\\.*)?$`, 's')

/** Returns the name of the question of which a name could be a repetition. */
const baseOf = (name: string): string => NAME.exec(name)?.[1] ?? ''

const sourceNamed = (questions: readonly QuestionOutline[], name: string): QuestionOutline | undefined =>
  questions.find(({ id }) => id === name) ?? questions.find(({ identifier }) => identifier === name)

/** Returns the choices for which pages are repeated. */
const choicesOf = ({ source }: QuestionOutline) =>
  recordsIn(authoredSetting(source, 'choices')).filter(({ exclusive }) => exclusive !== true)

/** Returns the length of a repetition of a page, at most: with the longest label in place of `{{ loop }}`. */
function lengthOf(page: Json, source: QuestionOutline | undefined): number {
  const text = JSON.stringify(page)
  const labels = source ? choicesOf(source).map(({ label, image }) => JSON.stringify([label, image]).length) : []
  return text.length + (text.split(LOOP).length - 1) * Math.max(0, ...labels)
}
