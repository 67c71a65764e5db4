import { randomCode, UNAMBIGUOUS_CHARACTERS } from '../../../lib/secrets.ts'
import {
  type KnownKind,
  kindOf,
  questionTypes,
  type SettingName,
  textSettings,
  typeOf,
} from '../../../questions/index.ts'
import { attributeValues, filtersOf, filterValueOf } from '../choice-attributes.ts'
import { type PartWord, partWord } from '../language-text.ts'
import type { LanguageText } from '../questionnaire.ts'
import { optionOf, settingOf } from '../setting.ts'
import type { StructureChoice } from '../setting-schemas.ts'
import type { Structure, StructureQuestion } from '../structure.ts'
import { codeOf, type Json, uidOf } from '../walk.ts'
import { mergeItems, mergeText, textMembers, withMembers, withSettings } from './merge.ts'
import type { FilterChange, QuestionChange, TextChange } from './operation.ts'

/** Settings of several question types that are texts in several languages. */
const TEXT_SETTINGS: readonly SettingName[] = ['leftLabel', 'rightLabel']

/** Returns a question after a change. Members that the change does not name are kept, including unknown members. */
export function editQuestion(question: StructureQuestion, change: QuestionChange): StructureQuestion {
  const { identifier, condition, width, settings = {}, validation, choices, rows } = change
  let after: StructureQuestion = withMembers(question, {
    ...textMembers(question, change),
    ...(identifier !== undefined && { identifier }),
    ...(condition !== undefined && { condition }),
    ...(width !== undefined && { width }),
  })
  if (rows) after = { ...after, children: mergeItems(question.children, rows) }
  if (choices) {
    after = withSetting(after, 'choices', mergeItems(settingOf(question, 'choices') ?? [], choices))
  }
  const texts = [...TEXT_SETTINGS, ...textSettings(kindOf(question.idname))]
  for (const [name, value] of Object.entries(settings)) {
    const text = typeof value === 'object' && value !== null && texts.find((text) => text === name)
    after = withSetting(
      after,
      name,
      text ? mergeText(settingOf(after, text) as LanguageText | undefined, value as LanguageText) : value,
    )
  }
  return validation ? withSetting(after, 'validation', mergeValidation(question, validation)) : after
}

/** Returns the validation of a text after a change; undefined if the validation is then empty. */
function mergeValidation(
  question: StructureQuestion,
  change: NonNullable<QuestionChange['validation']>,
): Json | undefined {
  const before = settingOf(question, 'validation') ?? {}
  const { message, ...rest } = change
  const after: Json = withMembers(before, {
    ...rest,
    ...(message && { message: mergeText(before.message, message) }),
  })
  return Object.keys(after).length > 0 ? after : undefined
}

/** Sets a setting on the object that already has it: the option object or the question. */
export function withSetting(question: StructureQuestion, name: string, value: unknown): StructureQuestion {
  const option = optionOf(question)
  const hasOptions = option && typeOf(kindOf(question.idname))?.optionTypes[0]
  if (!hasOptions) return withSettings(question, { [name]: value })
  const isOnQuestion = Object.hasOwn(question, name) && (option[name] === undefined || option[name] === null)
  if (isOnQuestion) return withSettings(question, { [name]: value })
  const [, ...more] = question.children
  return { ...question, children: [withSettings(option, { [name]: value }), ...more] }
}

/** Returns a question whose choices are filtered by these questions only. Other attributes of the choices are kept. */
export function filterChoices(question: StructureQuestion, filters: readonly FilterChange[]): StructureQuestion {
  const names = new Set(filters.map(({ attribute }) => attribute))
  const removed = filtersOf(question).filter(({ attribute }) => !names.has(attribute))
  const choices = choicesOf(question).map((choice, index) => {
    const changed: Json = Object.fromEntries(removed.map(({ attribute }) => [attribute, undefined]))
    for (const { attribute, values } of filters)
      changed[attribute] = attributeAfter(choice, attribute, values.get(uidOf(choice, index)))
    const attributes = withMembers(choice.attributes ?? {}, changed)
    return withMembers(choice, { attributes: Object.keys(attributes).length > 0 ? attributes : undefined })
  })
  const choiceFilter = filters.map(({ question: name, attribute }) => ({ question: name, attribute }))
  return withSetting(
    withSetting(question, 'choices', choices),
    'choiceFilter',
    choiceFilter.length > 0 ? choiceFilter : null,
  )
}

/** Returns an attribute with new values. An attribute that does not change keeps its form: a text, a number or a list. */
function attributeAfter(choice: StructureChoice, attribute: string, values: readonly string[] | undefined): unknown {
  if (!values) return undefined
  const before = attributeValues(choice, attribute)
  const isSame = before?.length === values.length && before.every((value) => values.includes(value))
  if (isSame) return choice.attributes![attribute]
  return values.length === 1 ? values[0] : values
}

const choicesOf = (question: StructureQuestion): readonly StructureChoice[] => settingOf(question, 'choices') ?? []

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

function withRenamedValues(
  choice: StructureChoice,
  names: readonly string[],
  renamed: ReadonlyMap<string, string>,
): StructureChoice {
  const changed = names.flatMap((name): [string, string | string[]][] => {
    const values = attributeValues(choice, name)
    if (!values?.some((value) => renamed.has(value))) return []
    const after = values.map((value) => renamed.get(value) ?? value)
    return [[name, after.length === 1 ? after[0]! : after]]
  })
  if (changed.length === 0) return choice
  return { ...choice, attributes: { ...choice.attributes, ...Object.fromEntries(changed) } }
}

/** Number of choices of a new question. */
const NEW_CHOICES = 2

/** Returns a new question of a kind in full form, with choices or a row if the kind requires them. */
export function newQuestion(kind: KnownKind, id: string, code: string, title: TextChange = {}): StructureQuestion {
  const { optionTypes, choices, grid, newSettings } = questionTypes[kind]
  const [optionType] = optionTypes
  const newItems = (noun: PartWord, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      label: { [code]: `${partWord(noun, code)} ${index + 1}` },
      uid: index,
    }))
  const ownChoices = choices ? { choices: newItems('new choice', NEW_CHOICES) } : {}
  const text = mergeText(undefined, title)
  return {
    type: 'question',
    width: 100,
    ...(text && { title: text }),
    idname: kind,
    ...(grid && ownChoices),
    children: grid
      ? newItems('new row', 1).map((row) => ({ type: optionType, ...row }))
      : optionType === undefined
        ? []
        : [{ type: optionType, ...ownChoices, ...newSettings }],
    id,
  }
}

/** Length of a random question ID. */
const ID_CHARACTERS = 10

/**
 * Returns a random ID. The ID is long enough to differ from the IDs of deleted questions: with the ID of a deleted
 * question, a new question would get the stored answers of the deleted question.
 */
export const newQuestionId = (): string => randomCode(ID_CHARACTERS)

/** Reports whether an ID looks like one of {@link newQuestionId}: a name that no person chose. */
export const isRandomId = (id: string): boolean =>
  id.length === ID_CHARACTERS &&
  [...id].every((character) => UNAMBIGUOUS_CHARACTERS.includes(character)) &&
  /[A-Z]/.test(id.slice(1))
