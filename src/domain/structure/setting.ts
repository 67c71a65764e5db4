import { kindOf, type SettingName, type Settings, settingSchemas, typeOf } from '../../questions/index.ts'
import type { QuestionType } from '../../questions/question-type.ts'
import type { Schema } from './json-schema.ts'
import type { Choice } from './questionnaire.ts'
import { arrayOf, isRecord, type Json } from './walk.ts'

/**
 * Returns the option object of a question, the first of its `children`; undefined for a grid, whose children are rows.
 */
export function optionOf(question: Json): Json | undefined {
  if (typeOf(kindOf(question.idname))?.grid) return undefined
  const first = arrayOf(question.children)[0]
  return isRecord(first) ? first : undefined
}

/**
 * Returns a setting of an authored question from its option object or, in the short form and for grids, from the
 * question itself. Its value can be wrong.
 */
export const authoredSetting = (question: Json, name: string): unknown => optionOf(question)?.[name] ?? question[name]

/**
 * Returns a setting of a question in full form; undefined if it does not have the type that its schema says. A question
 * that was stored before its type existed can have any value.
 */
export const settingOf = <Name extends SettingName>(question: Json, name: Name): Settings[Name] =>
  typed(settingSchemas[name], authoredSetting(question, name)) as Settings[Name]

/** Returns the settings of a question in full form: those of its type, and those that every question can have. */
export function settingsOf(question: Json): Settings {
  const option = optionOf(question)
  const settings: Json = {}
  for (const name of namesOf(typeOf(kindOf(question.idname)))) {
    const value = typed(settingSchemas[name], option?.[name] ?? question[name])
    if (value !== undefined) settings[name] = value
  }
  return settings
}

/** Settings that old structures have in questions of any type. */
const EVERYWHERE: readonly SettingName[] = [
  ...(['required', 'randomize', 'choices', 'categories', 'validation', 'lines', 'appearance', 'minSelected'] as const),
  ...(['maxSelected', 'format', 'default', 'leftLabel', 'rightLabel'] as const),
]

const namesCache = new WeakMap<QuestionType, readonly SettingName[]>()

function namesOf(type: QuestionType | undefined): readonly SettingName[] {
  if (!type) return EVERYWHERE
  const names = namesCache.get(type) ?? [...new Set([...EVERYWHERE, ...(Object.keys(type.settings) as SettingName[])])]
  namesCache.set(type, names)
  return names
}

/** Returns a value if it has the type of a schema, otherwise undefined; of a list, only what has its type. */
function typed(schema: Schema, value: unknown): unknown {
  if (value === undefined || value === null || !hasType(schema, value)) return undefined
  const { items } = schema
  if (!items || !Array.isArray(value) || value.every((item) => hasType(items, item))) return value
  return value.filter((item) => hasType(items, item))
}

function hasType(schema: Schema, value: unknown): boolean {
  const { $ref, type, enum: values, anyOf } = schema
  // The named schemas of settings are those of objects; so are texts in full form.
  if ($ref || type === 'object') return isRecord(value)
  if (values) return values.includes(value)
  if (anyOf) return anyOf.some((alternative) => hasType(alternative, value))
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return typeof value === 'number'
    default:
      return typeof value === type
  }
}

/** Returns the choices of a question in the order of the structure; none for a type without choices. */
export const compileChoices = (kind: string, source: Json): Choice[] =>
  typeOf(kind)?.compileChoices?.(settingsOf(source)) ?? []
