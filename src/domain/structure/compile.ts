import { isAutomatic, kindOf, type Settings, typeOf } from '../../questions/index.ts'
import type { QuestionType } from '../../questions/question-type.ts'
import { compileChoiceFilter } from './choice-filter.ts'
import { textOf } from './language-text.ts'
import { expandLoops, originalId, originOf } from './loop.ts'
import type { RemovedItems } from './numbering.ts'
import type {
  Condition,
  Display,
  Field,
  Language,
  Page,
  Question,
  Questionnaire,
  Quota,
  RemovedChoice,
  Row,
  Skip,
  Validation,
} from './questionnaire.ts'
import type { StructureCondition, StructureQuota, StructureSkip } from './schema.ts'
import { optionOf, settingsOf } from './setting.ts'
import type { TextValidation } from './setting-schemas.ts'
import type { Structure, StructureItem, StructurePage, StructureQuestion } from './structure.ts'
import { codeMember, uidOf } from './walk.ts'

/**
 * Compiles a normalised structure into a deep-frozen model: one object per version, shared by all requests.
 * @param removed choices and rows of earlier versions that are no longer offered
 */
export function compile(structure: Structure, removed: readonly RemovedItems[] = []): Questionnaire {
  const removedChoices: RemovedChoices = new Map(removed.map(({ question, choices }) => [question, choices]))
  const languages: Language[] = structure.languages.map(({ code, name, isDefault }) => ({ code, name, isDefault }))
  const defaultLanguage = (languages.find(({ isDefault }) => isDefault) ?? languages[0])?.code ?? 'en'
  const pages = expandLoops(structure).form.map((page, index) =>
    compilePage(page, index + 1, originOf(page) ?? index, removedChoices),
  )
  const questions = pages.flatMap((page) => page.questions)
  const fields = questions.flatMap((question) => question.fields)
  const withIdentifier = questions.flatMap((question) =>
    question.identifier ? [[question.identifier, question] as const] : [],
  )
  return Object.freeze({
    title: textOf(structure.title),
    description: textOf(structure.description),
    display: deepFreeze(displayOf(structure)),
    languages: deepFreeze(languages),
    defaultLanguage,
    pages: Object.freeze(pages),
    questions: Object.freeze(questions),
    fields: Object.freeze(fields),
    quotas: deepFreeze((structure.quotas ?? []).map(compileQuota)),
    byId: frozenMap(questions.map((question) => [question.id, question] as const)),
    byIdentifier: frozenMap(withIdentifier),
    byKey: frozenMap(fields.map((field) => [field.key, field] as const)),
    byStoredKey: frozenMap(fields.map((field) => [field.storedKey, field] as const)),
    renumbered: fields.some(({ renumbered, key, storedKey }) => renumbered || key !== storedKey),
  })
}

/** Removed choices by question id. */
type RemovedChoices = ReadonlyMap<string, readonly RemovedChoice[]>

function displayOf({
  firstPageTitleDescription: firstPageOnly,
  languageDisplayStyle: style,
  jumping,
}: Structure): Display {
  return {
    ...(typeof firstPageOnly === 'boolean' && { headingOn: firstPageOnly ? 'first page' : 'every page' }),
    ...(typeof style === 'string' && style !== '' && { languages: /^drop-?down$/i.test(style) ? 'dropdown' : 'list' }),
    jumping: jumping === true,
  }
}

function compilePage(page: StructurePage, number: number, at: number, removed: RemovedChoices): Page {
  const questions = page.children.map((question, index) =>
    compileQuestion(question, number, `/form/${at}/children/${index}`, removed),
  )
  return Object.freeze({
    number,
    at,
    title: textOf(page.title),
    description: textOf(page.description),
    questions: Object.freeze(questions),
    ...(page.condition && { condition: frozen(page.condition) }),
    skips: deepFreeze((page.skip ?? []).map(compileSkip)),
    randomize: page.randomize === true,
    ...(page.randomBlock && { randomBlock: page.randomBlock }),
  })
}

function compileQuestion(source: StructureQuestion, page: number, pointer: string, removed: RemovedChoices): Question {
  const kind = kindOf(source.idname)
  const type = typeOf(kind)
  const settings = settingsOf(source)
  const choiceFilter = compileChoiceFilter(kind, settings)
  const question: Question = {
    id: source.id,
    ...(source.identifier && { identifier: source.identifier }),
    kind,
    idname: source.idname,
    title: textOf(source.title),
    description: textOf(source.description),
    page,
    ...(typeof source.width === 'number' && source.width > 0 && source.width < 100 && { width: source.width }),
    pointer,
    // Respondents cannot answer a hidden field or a calculation.
    required: Boolean(type?.fieldType) && !isAutomatic(kind) && settings.required === true,
    randomize: settings.randomize === true,
    choices: deepFreeze(type?.compileChoices?.(settings) ?? []),
    ...(choiceFilter && { choiceFilter: deepFreeze(choiceFilter) }),
    rows: [],
    ...commonSettings(settings, optionOf(source)?.type),
    ...deepFreeze(type?.compileSettings?.(settings) ?? {}),
    ...(source.condition && { condition: frozen(source.condition) }),
    fields: [],
  }
  if (type?.grid) question.rows = deepFreeze(source.children.map(compileRow(question.required, type)))
  question.fields = Object.freeze(compileFields(question, removed.get(originalId(source)) ?? []))
  return Object.freeze(question)
}

const compileRow =
  (required: boolean, { joinedRows }: QuestionType) =>
  (row: StructureItem, index: number): Row => ({
    index,
    uid: uidOf(row, index),
    ...codeMember(row),
    label: textOf(row.label),
    required: !joinedRows && (typeof row.required === 'boolean' ? row.required : required),
  })

/** Returns the response keys of a question, in the order of export. */
function compileFields(question: Question, removedChoices: readonly RemovedChoice[]): Field[] {
  const { fieldType, grid, parts: partNames = [], removedChoices: possibleChoices } = typeOf(question.kind) ?? {}
  if (!fieldType) return []
  const type = question.multiple ? 'multi' : fieldType
  const { id, required, choices } = question
  // A number in an answer of the types `number` and `decimal` is a value and not the index of a choice.
  const isNumber = type === 'number' || type === 'decimal'
  const removed = deepFreeze(
    isNumber
      ? (possibleChoices?.(choices) ?? [])
      : removedChoices.map(({ uid, code, label }) => ({ uid, ...codeMember({ code }), label: textOf(label) })),
  )
  const renumbered = !isNumber && (removed.length > 0 || choices.some(({ uid, index }) => uid !== index))
  if (grid) {
    const rowChoices = type === 'string' ? [] : choices
    return question.rows.map((row) =>
      Object.freeze({
        key: `${id}_${row.index}`,
        storedKey: `${id}_${row.uid}`,
        question,
        row,
        type,
        required: row.required,
        choices: rowChoices,
        removed,
        renumbered,
      }),
    )
  }
  const main: Field = Object.freeze({ key: id, storedKey: id, question, type, required, choices, removed, renumbered })
  const parts = partNames.map((part) =>
    Object.freeze({
      key: `${id}\\${part}`,
      storedKey: `${id}\\${part}`,
      part,
      ...otherField(question),
      ...(part === 'image' && { type: 'file' as const }),
    }),
  )
  if (parts.length > 0) return [main, ...parts]
  if (!choices.some(({ other }) => other)) return [main]
  const key = `${id}\\other`
  return [main, Object.freeze({ key, storedKey: key, ...otherField(question) })]
}

const otherField = (question: Question) =>
  ({ question, type: 'other', required: false, choices: [], removed: [], renumbered: false }) as const

/**
 * Number of lines of a text question with the appearance `full`, which the editors of the original service write
 * (old-members.ts).
 */
const LONG_TEXT_LINES = 5

/** Returns the settings that questions of every type can have. The type of a date can also be that of its option object. */
function commonSettings(settings: Settings, optionType: unknown): Partial<Question> {
  const { validation, appearance, minSelected, maxSelected, format, default: value, leftLabel, rightLabel } = settings
  const { lines = appearance?.toLowerCase() === 'full' ? LONG_TEXT_LINES : undefined } = settings
  return {
    ...(validation && { validation: compileValidation(validation) }),
    ...(lines !== undefined && { lines }),
    ...(minSelected !== undefined && { minSelected }),
    ...(maxSelected !== undefined && { maxSelected }),
    ...(format && format !== optionType && { format }),
    ...(value !== undefined && { default: String(value) }),
    ...(leftLabel && { leftLabel: textOf(leftLabel) }),
    ...(rightLabel && { rightLabel: textOf(rightLabel) }),
  }
}

function compileValidation({ kind, min, max, minLength, maxLength, message }: TextValidation): Validation {
  const members = { kind, min, max, minLength, maxLength, message: message && textOf(message) }
  return deepFreeze(
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)),
  )
}

const compileSkip = ({ when, to }: StructureSkip): Skip => ({ ...(when && { when: frozen(when) }), to })

const compileQuota = ({ name, when, limit, action, message }: StructureQuota): Quota => ({
  name,
  ...(when && { when: frozen(when) }),
  limit,
  action,
  ...(message && { message: textOf(message) }),
})

/** Returns a frozen copy of a condition, which combines rules in full form. */
const frozen = (condition: StructureCondition): Condition => deepFreeze(structuredClone(condition)) as Condition

const throwReadOnly = (): never => {
  throw new TypeError('A compiled questionnaire cannot be changed.')
}

/** Returns a map that throws when it is changed. `Object.freeze` does not protect the entries of a map. */
function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries)
  return Object.freeze(Object.assign(map, { set: throwReadOnly, delete: throwReadOnly, clear: throwReadOnly }))
}

/**
 * Freezes JSON-like data recursively.
 * @returns the same value
 */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
