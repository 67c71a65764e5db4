import { createHash } from 'node:crypto'
import { kindOf, textSettings, typeOf } from '../../questions/index.ts'
import { isImage } from './choice-image.ts'
import { memberNames } from './json-schema.ts'
import { toLanguageText } from './language-text.ts'
import {
  type Structure,
  type StructureItem,
  type StructureLanguage,
  type StructureQuestion,
  type StructureQuota,
  structureSchema,
} from './schema.ts'
import { arrayOf, isPresent, isRecord, type Json, membersOf, pageNodes, recordsIn } from './walk.ts'

export type { Structure, StructureItem, StructureLanguage, StructurePage, StructureQuestion } from './schema.ts'

const defaultLanguage = (): StructureLanguage => ({ code: 'en', name: 'English', isDefault: true })

/**
 * Returns the full form of an authored structure that `checkStructure` accepts. Strings become language objects of the
 * default language. Pages and questions get their `type`, and questions without an id get one. Known members with the
 * value null are removed. A generated id depends on the type and title of the question, so the question keeps its
 * answers if the same structure is saved again. Normalising is idempotent.
 */
export function normaliseStructure(json: unknown): Structure {
  const source = membersOf(withoutNulls(json))
  const languages = normaliseLanguages(source.languages)
  const code = languages.find(({ isDefault }) => isDefault)!.code
  const pages = pageNodes(source.form)
  const takenNames = new Set<unknown>()
  for (const { value } of pages.flatMap(({ questions }) => questions)) {
    takenNames.add(value.id).add(value.identifier)
  }
  const form = pages.map(({ page = {}, questions }) => ({
    ...withTexts(page, ['title', 'description'], code),
    type: 'page' as const,
    ...withConditions(page),
    children: questions.map(({ value }) => normaliseQuestion(value, code, takenNames)),
  }))
  const quotas = Array.isArray(source.quotas)
    ? { quotas: recordsIn(source.quotas).map((quota) => normaliseQuota(quota, code) as StructureQuota) }
    : {}
  const rest = withTexts(source, ['title', 'description'], code)
  return {
    ...(rest as Partial<Structure>),
    title: toLanguageText(source.title, code) ?? {},
    languages,
    form,
    ...quotas,
  }
}

/**
 * Returns the title in the default language, otherwise in any language. It is the default name of a survey that is
 * created from the structure.
 */
export function titleOf(structure: Structure): string {
  const code = structure.languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  const inDefault = Object.hasOwn(structure.title, code) ? structure.title[code] : undefined
  return (inDefault || Object.values(structure.title).find((text) => text) || '').trim()
}

function normaliseLanguages(value: unknown): StructureLanguage[] {
  const languages = arrayOf(value).filter(isRecord)
  if (languages.length === 0) return [defaultLanguage()]
  const defaultIndex = Math.max(
    0,
    languages.findIndex(({ isDefault }) => isDefault === true),
  )
  return languages.map((language, index) => {
    const code = String(language.code)
    return { ...language, code, name: String(language.name ?? code), isDefault: index === defaultIndex }
  })
}

function normaliseQuestion(question: Json, code: string, takenNames: Set<unknown>): StructureQuestion {
  const kind = kindOf(question.idname)
  const shape = typeOf(kind)
  const idname = kind === 'unknown' ? String(question.idname) : kind
  const full = {
    type: 'question',
    width: 100,
    ...withTexts(question, ['title', 'description'], code),
    ...withConditions(question),
    ...normaliseSettings(question, code, kind),
    idname,
  }
  const authored = arrayOf(question.children).filter(isRecord)
  const options = shape?.optionTypes.length && !shape.grid && authored.length === 0 ? [{}] : authored
  const children = shape?.optionTypes.length
    ? options.map((option) => ({
        ...option,
        ...normaliseSettings(option, code, kind),
        type: option.type ?? shape.optionTypes[0],
      }))
    : options.map((option) => ({ ...option }))
  return {
    ...full,
    children: children as StructureItem[],
    id: typeof question.id === 'string' ? question.id : generateId(full, takenNames),
  }
}

/** Returns what a function makes of an object. Returns any other value unchanged. */
const ifObject = (value: unknown, map: (object: Json) => Json): unknown => (isRecord(value) ? map(value) : value)

/** Returns the normalised settings of an option object, or of a question in the short form. */
function normaliseSettings(owner: Json, code: string, kind: string): Json {
  const changed = texts(owner, ['label', 'leftLabel', 'rightLabel', ...textSettings(kind)], code)
  if (Array.isArray(owner.choices))
    changed.choices = owner.choices.map((one) => ifObject(one, (choice) => withChoiceTexts(choice, code, kind)))
  if (isPresent(owner.validation))
    changed.validation = ifObject(owner.validation, (validation) => withTexts(validation, ['message'], code))
  if (Array.isArray(owner.categories)) {
    changed.categories = owner.categories.map((one) =>
      ifObject(one, (category) => ({ ...category, ...normaliseSettings(category, code, kind) })),
    )
  }
  return changed
}

function withChoiceTexts(choice: Json, code: string, kind: string): Json {
  const { image } = choice
  const hasImage = typeOf(kind)?.withImages && isImage(image)
  return { ...withTexts(choice, ['label'], code), ...(hasImage && { image: withTexts(image, ['alt'], code) }) }
}

const normaliseQuota = (quota: Json, code: string): Json => ({
  ...withTexts(quota, ['message'], code),
  ...withConditions(quota),
})

/** Converts a single rule to a condition. */
const asCondition = (value: unknown): unknown =>
  ifObject(value, (condition) => ('question' in condition ? { all: [condition] } : condition))

function withConditions(owner: Json): Json {
  const changed: Json = {}
  if (owner.condition !== undefined) changed.condition = asCondition(owner.condition)
  if (owner.when !== undefined) changed.when = asCondition(owner.when)
  if (Array.isArray(owner.skip)) {
    changed.skip = owner.skip.map((one) => ifObject(one, (skip) => ({ ...skip, ...withConditions(skip) })))
  }
  return changed
}

/** Returns the members that are texts, as language objects. */
function texts(owner: Json, members: readonly string[], code: string): Json {
  const normalised: Json = {}
  for (const member of members) {
    const text = Object.hasOwn(owner, member) ? toLanguageText(owner[member], code) : undefined
    if (text) normalised[member] = text
  }
  return normalised
}

const withTexts = (owner: Json, members: readonly string[], code: string): Json => ({
  ...owner,
  ...texts(owner, members, code),
})

/** Generates an id of ten letters and digits from the type and title of a question. */
function generateId({ idname, title }: Json & { idname: string }, takenNames: Set<unknown>): string {
  for (let attempt = 0; ; attempt++) {
    const digest = createHash('sha256')
      .update(JSON.stringify([idname, title, attempt]))
      .digest('base64')
    const id = digest.replace(/[^A-Za-z0-9]/g, '').slice(0, 10)
    if (takenNames.has(id)) continue
    takenNames.add(id)
    return id
  }
}

/** Returns whether a structure contains a question. */
export const hasQuestions = ({ form }: Pick<Structure, 'form'>): boolean =>
  form.some(({ children }) => children.length > 0)

const knownMembers = new Set(memberNames(structureSchema))
const { children: _, ...common } = structureSchema.$defs!.OtherQuestion!.properties!
const commonMembers = new Set(Object.keys(common))

/**
 * Returns authored JSON without the known members whose value is null, because null means absent. Unknown members are
 * kept. In a question of an unknown type, only the members that all question types have are known.
 */
const withoutNulls = (json: unknown): unknown => (containsNull(json) ? copyWithoutNulls(json) : json)

/** Reports whether a value contains null at any depth. Most structures contain no null and need no copy. */
function containsNull(value: unknown): boolean {
  if (value === null) return true
  if (typeof value !== 'object') return false
  return Array.isArray(value) ? value.some(containsNull) : Object.values(value).some(containsNull)
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls)
  return ifObject(value, (object) => {
    const known =
      typeof object.idname === 'string' && kindOf(object.idname) === 'unknown' ? commonMembers : knownMembers
    const entries = Object.entries(object).filter(([name, member]) => member !== null || !known.has(name))
    return Object.fromEntries(
      entries.map(([name, member]) => [name, known.has(name) ? copyWithoutNulls(member) : member]),
    )
  })
}

/** A probable mistake in an accepted structure, or a change of the structure that affects stored answers. */
export interface StructureWarning {
  /** JSON pointer of the member (RFC 6901). */
  pointer: string
  code:
    | 'unknown_member'
    | 'unknown_question_type'
    | 'piped_on_same_page'
    | 'reserved_id'
    | 'score_order'
    | 'choice_never_shown'
    | 'no_questions'
    | 'untitled_question'
    | 'default_choice'
    | 'untranslated_text'
    | 'missing_system_texts'
    | 'unreachable_page'
    | 'unreachable_question'
    | 'unreachable_skip'
    | 'order_dependent'
    | 'order_dependent_skip'
    | 'contradictory_rules'
    | 'answered_question_removed'
    | 'answered_question_type_changed'
    | 'answered_choice_removed'
  message: string
  /** The names and numbers that the message contains. */
  values: Readonly<Record<string, string | number>>
}
