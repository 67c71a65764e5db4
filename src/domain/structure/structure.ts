import { createHash } from 'node:crypto'
import { kindOf, shapeOf } from './kinds.ts'
import { asText } from './language-text.ts'
import type { LanguageText } from './questionnaire.ts'
import { arrayOf, isRecord, type Json, pagePlaces } from './walk.ts'

/** A language of a structure. */
export interface StructureLanguage {
  code: string
  name: string
  isDefault: boolean
  [member: string]: unknown
}

/** A question in full form; its option objects (rows for a grid) are `children`. */
export interface StructureQuestion {
  type: string
  idname: string
  id: string
  title?: LanguageText
  description?: LanguageText
  identifier?: string
  children: Json[]
  [member: string]: unknown
}

export interface StructurePage {
  type: 'page'
  children: StructureQuestion[]
  [member: string]: unknown
}

/** A survey structure in full form, as stored and returned: every text is a language object, unknown members are kept. */
export interface Structure {
  title: LanguageText
  languages: StructureLanguage[]
  form: StructurePage[]
  [member: string]: unknown
}

const english = (): StructureLanguage => ({ code: 'en', name: 'English', isDefault: true })

/**
 * Returns the full form of an authored structure that `checkStructure` accepts. Texts become language objects of the
 * default language, pages and questions get their `type`, missing question ids are generated. Normalising is idempotent.
 * The same questions get the same generated ids, so a structure that is sent again keeps its answers.
 */
export function normaliseStructure(json: unknown): Structure {
  const source = isRecord(json) ? json : {}
  const languages = normaliseLanguages(source.languages)
  const code = languages.find(({ isDefault }) => isDefault)!.code
  const places = pagePlaces(source.form)
  const taken = new Set<unknown>()
  for (const { value } of places.flatMap(({ questions }) => questions)) {
    if (isRecord(value)) taken.add(value.id).add(value.identifier)
  }
  const form = places.map(({ page = {}, questions }) => ({
    ...withTexts(page, ['title', 'description'], code),
    type: 'page' as const,
    ...withConditions(page),
    children: questions.flatMap(({ value }) => (isRecord(value) ? [normaliseQuestion(value, code, taken)] : [])),
  }))
  const quotas = Array.isArray(source.quotas)
    ? { quotas: source.quotas.map((quota) => (isRecord(quota) ? normaliseQuota(quota, code) : quota)) }
    : {}
  const rest = withTexts(source, ['title', 'description'], code)
  return { ...rest, title: asText(source.title, code) ?? {}, languages, form, ...quotas }
}

/** Returns the title in the default language, else in any language. It is the name of the survey. */
export function titleOf(structure: Structure): string {
  const code = structure.languages.find(({ isDefault }) => isDefault)?.code ?? 'en'
  const inDefault = Object.hasOwn(structure.title, code) ? structure.title[code] : undefined
  return (inDefault || Object.values(structure.title).find((text) => text) || '').trim()
}

function normaliseLanguages(value: unknown): StructureLanguage[] {
  const given = arrayOf(value).filter(isRecord)
  if (given.length === 0) return [english()]
  const main = Math.max(
    0,
    given.findIndex(({ isDefault }) => isDefault === true),
  )
  return given.map((language, index) => {
    const code = String(language.code)
    return { ...language, code, name: String(language.name ?? code), isDefault: index === main }
  })
}

function normaliseQuestion(question: Json, code: string, taken: Set<unknown>): StructureQuestion {
  const kind = kindOf(question.idname)
  const shape = shapeOf(kind)
  const idname = kind === 'unknown' ? String(question.idname) : kind
  const full = {
    type: 'question',
    width: 100,
    ...withTexts(question, ['title', 'description'], code),
    ...withConditions(question),
    ...withSettings(question, code),
    idname,
  }
  const given = arrayOf(question.children).filter(isRecord)
  const needed = shape?.optionType && !shape.grid && given.length === 0 ? [{}] : given
  const children = shape?.optionType
    ? needed.map((option) => ({ ...option, ...withSettings(option, code), type: option.type ?? shape.optionType }))
    : given.map((option) => ({ ...option }))
  return { ...full, children, id: typeof question.id === 'string' ? question.id : makeId(full, taken) }
}

/** Returns the settings with text of an option object or (short form) of the question itself. */
function withSettings(owner: Json, code: string): Json {
  const changed = texts(owner, ['label', 'leftLabel', 'rightLabel'], code)
  if (Array.isArray(owner.choices)) changed.choices = owner.choices.map((choice) => withLabel(choice, code))
  if (isRecord(owner.validation)) changed.validation = withTexts(owner.validation, ['message'], code)
  if (Array.isArray(owner.categories)) {
    changed.categories = owner.categories.map((category) =>
      isRecord(category) ? { ...category, ...withSettings(category, code) } : category,
    )
  }
  return changed
}

const withLabel = (value: unknown, code: string) => (isRecord(value) ? withTexts(value, ['label'], code) : value)

const normaliseQuota = (quota: Json, code: string): Json => ({
  ...withTexts(quota, ['message'], code),
  ...withConditions(quota),
})

/** Wraps a single rule in a condition: `all` of this one rule. */
const asCondition = (value: unknown): unknown => (isRecord(value) && 'question' in value ? { all: [value] } : value)

function withConditions(owner: Json): Json {
  const changed: Json = {}
  if (owner.condition !== undefined) changed.condition = asCondition(owner.condition)
  if (owner.when !== undefined) changed.when = asCondition(owner.when)
  if (Array.isArray(owner.skip)) {
    changed.skip = owner.skip.map((skip) => (isRecord(skip) ? { ...skip, ...withConditions(skip) } : skip))
  }
  return changed
}

/** Returns the members with text, as language objects. */
function texts(owner: Json, members: readonly string[], code: string): Json {
  const found: Json = {}
  for (const member of members) {
    const text = Object.hasOwn(owner, member) ? asText(owner[member], code) : undefined
    if (text) found[member] = text
  }
  return found
}

const withTexts = (owner: Json, members: readonly string[], code: string): Json => ({
  ...owner,
  ...texts(owner, members, code),
})

/** Returns an id of ten letters and digits derived from the question, so that the same question gets the same id again. */
function makeId({ idname, title }: Json & { idname: string }, taken: Set<unknown>): string {
  for (let attempt = 0; ; attempt++) {
    const digest = createHash('sha256')
      .update(JSON.stringify([idname, title, attempt]))
      .digest('base64')
    const id = digest.replace(/[^A-Za-z0-9]/g, '').slice(0, 10)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}
