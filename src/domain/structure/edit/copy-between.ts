import { kindOf, typeOf } from '../../../questions/index.ts'
import { problems } from '../../problem.ts'
import { filtersOf } from '../choice-attributes.ts'
import { operandsIn, parseExpression } from '../expression.ts'
import type { StructureCondition, StructureRule } from '../schema.ts'
import { authoredSetting } from '../setting.ts'
import type { Structure, StructurePage, StructureQuestion } from '../structure.ts'
import { replacePlaceholders } from '../text.ts'
import { isRecord } from '../walk.ts'
import { findQuestion } from './apply-operation.ts'
import { newQuestionId, withSetting } from './edit-question.ts'
import { mapRules } from './references.ts'

/** What a copy leaves out because it needs questions or pages that were not copied. */
export type CopyLoss =
  | 'condition'
  | 'skips'
  | 'choice_filter'
  | 'placeholder'
  | 'calculation'
  | 'identifier'
  | 'block'
  | 'loop'

export interface CopiedStructure {
  /** The structure with the copies. */
  structure: Structure
  /** Position of the page that has the copies, from 0. */
  page: number
  /** The new ID of each question, by its ID. */
  ids: ReadonlyMap<string, string>
  /** `question`: the ID of the original; undefined for the page. */
  losses: readonly { question: string | undefined; what: CopyLoss }[]
  /** Languages of the target into which the copied texts are not translated. */
  untranslated: readonly string[]
  /** Languages of the texts that the target does not have. */
  lostLanguages: readonly string[]
}

/** What to copy: a question, or a page (from 0) with its questions. */
export type CopySource = { question: string } | { page: number }

/**
 * Copies a question or a page into another structure, with new IDs. What refers to questions that are not copied is left
 * out: conditions, filters of choices, placeholders and calculations. Skips are left out, because they lead to pages.
 * @param to the page of the target, from 0, at whose end a question is copied; a page is copied behind the last page
 * @param position the position on the page, from 0, at which a question is copied; the end by default
 * @throws {Problem} `question_not_found`; `structure_changed` for a page or position that does not exist
 */
export function copyBetween(
  source: Structure,
  what: CopySource,
  target: Structure,
  to?: number,
  position?: number,
): CopiedStructure {
  const original: StructurePage =
    'question' in what
      ? { type: 'page', children: [findQuestion(source, what.question).question] }
      : pageAt(source, what.page)
  const names = new Names(original.children, target)
  const losses: { question: string | undefined; what: CopyLoss }[] = []
  const lose = (loss: CopyLoss, question?: StructureQuestion) =>
    void losses.push({ question: question?.id, what: loss })
  const { skip, condition, randomBlock, loop, ...plainPage } = original
  if (skip?.length) lose('skips')
  if (randomBlock !== undefined) lose('block')
  if (loop !== undefined) lose('loop')
  if (condition && !names.hasAll(condition)) lose('condition')
  const page: StructurePage = {
    ...plainPage,
    ...(condition && names.hasAll(condition) && { condition }),
    children: original.children.map((question) => withoutOutside(question, names, (loss) => lose(loss, question))),
  }
  const { form } = mapRules({ ...source, quotas: undefined, form: [page] } as Structure, (rule) => ({
    ...rule,
    question: names.renamed(String(rule.question)),
    ...('answer' in rule && { answer: names.renamed(String(rule.answer)) }),
  }))
  const copied = form[0]!
  const textsIn = textMapper(source, target, names)
  const mapped: StructurePage = {
    ...(textsIn.map({ ...copied, children: [] }, () => lose('placeholder')) as StructurePage),
    children: copied.children.map((question, index) => ({
      ...(textsIn.map(question, () => lose('placeholder', original.children[index])) as StructureQuestion),
      id: names.ids.get(original.children[index]!.id)!,
    })),
  }
  const codes = (of: Structure) => of.languages.map(({ code }) => code)
  return {
    ...placed(target, mapped, 'question' in what ? to : undefined, position),
    ids: names.ids,
    losses,
    untranslated: codes(target).filter((code) => !codes(source).includes(code)),
    lostLanguages: codes(source).filter((code) => !codes(target).includes(code)),
  }
}

function pageAt({ form }: Structure, page: number): StructurePage {
  const found = form[page]
  if (!found) throw problems.draftChanged()
  return found
}

/** Adds a page behind the last one, or its questions at a position of a page of the target. */
function placed(
  target: Structure,
  copy: StructurePage,
  to: number | undefined,
  position: number | undefined,
): Pick<CopiedStructure, 'structure' | 'page'> {
  if (to === undefined || target.form.length === 0)
    return { structure: { ...target, form: [...target.form, copy] }, page: target.form.length }
  const page = pageAt(target, to)
  const at = position ?? page.children.length
  if (at > page.children.length) throw problems.draftChanged()
  const after = { ...page, children: page.children.toSpliced(at, 0, ...copy.children) }
  return { structure: { ...target, form: target.form.with(to, after) }, page: to }
}

/** The names of the copied questions: their IDs, identifiers and rows. */
class Names {
  readonly ids: ReadonlyMap<string, string>
  readonly #names = new Map<string, string>()
  readonly #taken: ReadonlySet<unknown>

  constructor(questions: readonly StructureQuestion[], target: Structure) {
    this.#taken = new Set(
      target.form.flatMap(({ children }) => children.flatMap(({ id, identifier }) => [id, identifier])),
    )
    this.ids = new Map(questions.map(({ id }) => [id, this.#newId()]))
    for (const { id, identifier } of questions) {
      if (identifier) this.#names.set(identifier, this.isFree(identifier) ? identifier : this.ids.get(id)!)
      this.#names.set(id, this.ids.get(id)!)
    }
  }

  #newId(): string {
    const id = newQuestionId()
    return this.#taken.has(id) ? this.#newId() : id
  }

  /** Returns whether the target has no question with an identifier. */
  isFree(identifier: string): boolean {
    return !this.#taken.has(identifier)
  }

  /** Returns the new name of a copied question or of a row of it; undefined for another question. */
  find(name: string): string | undefined {
    const own = this.#names.get(name)
    if (own !== undefined) return own
    const [, question = '', row] = /^(.*)_(\d+)$/.exec(name) ?? []
    const id = this.ids.get(question)
    return id === undefined ? undefined : `${id}_${row}`
  }

  renamed(name: string): string {
    return this.find(name) ?? name
  }

  /** Returns whether a condition refers to copied questions only. */
  hasAll(condition: StructureCondition): boolean {
    if ('question' in condition) {
      const { question, answer } = condition as StructureRule
      return (
        this.find(String(question)) !== undefined && (answer === undefined || this.find(String(answer)) !== undefined)
      )
    }
    return ('all' in condition ? condition.all : condition.any).every((one) => this.hasAll(one))
  }
}

/** Returns a question without what refers to questions that are not copied, apart from placeholders. */
function withoutOutside(question: StructureQuestion, names: Names, lose: (what: CopyLoss) => void): StructureQuestion {
  const { condition, identifier, ...rest } = question
  let copy = rest as StructureQuestion
  if (condition && names.hasAll(condition)) copy = { ...copy, condition }
  else if (condition) lose('condition')
  if (identifier && names.isFree(identifier)) copy = { ...copy, identifier }
  else if (identifier) lose('identifier')
  const filters = filtersOf(question)
  if (filters.some((filter) => names.find(filter.question) === undefined)) {
    lose('choice_filter')
    copy = withSetting(copy, 'choiceFilter', undefined)
  }
  const expression = authoredSetting(question, 'expression')
  const hasExpression = Object.hasOwn(typeOf(kindOf(question.idname))?.settings ?? {}, 'expression')
  if (hasExpression && typeof expression === 'string') {
    const after = renamedExpression(expression, names)
    if (after === undefined) lose('calculation')
    copy = withSetting(copy, 'expression', after ?? '0')
  }
  return copy
}

/** Returns an expression with the new names; undefined if it cannot be read, or needs a question that is not copied. */
function renamedExpression(expression: string, names: Names): string | undefined {
  try {
    const operands = new Set(operandsIn(parseExpression(expression)).filter((name) => name !== undefined))
    if ([...operands].some((name) => names.find(name) === undefined)) return undefined
    const renamed = replacePlaceholders(expression, (name) => names.find(name))
    const still = operandsIn(parseExpression(renamed)).filter((name) => name !== undefined)
    const wanted = new Set([...operands].map((name) => names.find(name)))
    return still.every((name) => wanted.has(name)) ? renamed : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a function that maps the texts of a part of the source: only the languages of the target stay, placeholders of
 * copied questions get the new names, and others are replaced by their default or removed. A text in no language of the
 * target becomes a text in its default language.
 */
function textMapper(source: Structure, target: Structure, names: Names) {
  const codes = new Set(source.languages.map(({ code }) => code))
  const kept = new Set(target.languages.map(({ code }) => code))
  const defaultOf = ({ languages }: Structure) => languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  const isText = (value: Record<string, unknown>): value is Record<string, string> => {
    const entries = Object.entries(value)
    return entries.length > 0 && entries.every(([code, text]) => codes.has(code) && typeof text === 'string')
  }
  const map = (value: unknown, lose: () => void): unknown => {
    if (Array.isArray(value)) return value.map((item) => map(item, lose))
    if (!isRecord(value)) return value
    if (!isText(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member, lose)]))
    const texts = Object.fromEntries(Object.entries(value).map(([code, text]) => [code, textOf(text, lose)]))
    const own = Object.entries(texts).filter(([code]) => kept.has(code))
    if (own.length > 0) return Object.fromEntries(own)
    return { [defaultOf(target)]: texts[defaultOf(source)] ?? Object.values(texts)[0] ?? '' }
  }
  const textOf = (text: string, lose: () => void) =>
    replacePlaceholders(text, (name) => {
      if (name.startsWith('invite.')) return name
      const found = names.find(name)
      if (found === undefined) lose()
      return found
    })
  return { map }
}
