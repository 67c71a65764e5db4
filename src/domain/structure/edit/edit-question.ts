import { textSettings } from '../kind-settings.ts'
import { kindOf, shapeOf } from '../kinds.ts'
import { optionOf, settingOf } from '../setting.ts'
import type { StructureQuestion } from '../structure.ts'
import { arrayOf, isRecord, type Json } from '../walk.ts'
import { mergeItems, mergeText, textMembers, withMembers, withSettings } from './merge.ts'
import type { QuestionChange } from './operation.ts'

/** Settings of several question types that are texts in several languages. */
const TEXT_SETTINGS = ['leftLabel', 'rightLabel']

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
    const before = arrayOf(settingOf(question, 'choices')).filter(isRecord)
    after = withSetting(after, 'choices', mergeItems(before, choices))
  }
  const texts = [...TEXT_SETTINGS, ...textSettings(kindOf(question.idname))]
  for (const [name, value] of Object.entries(settings)) {
    const text = texts.includes(name) && isRecord(value)
    after = withSetting(after, name, text ? mergeText(settingOf(after, name), value as Record<string, string>) : value)
  }
  return validation ? withSetting(after, 'validation', mergeValidation(question, validation)) : after
}

/** Returns the validation of a text after a change; undefined if the validation is then empty. */
function mergeValidation(question: StructureQuestion, change: Json): Json | undefined {
  const before = settingOf(question, 'validation')
  const { message, ...rest } = change
  const after = withMembers(isRecord(before) ? before : {}, {
    ...rest,
    ...(isRecord(message) && {
      message: mergeText(isRecord(before) ? before.message : undefined, message as Record<string, string>),
    }),
  })
  return Object.keys(after).length > 0 ? after : undefined
}

/** Sets a setting on the object that already has it: the option object or the question. */
export function withSetting(question: StructureQuestion, name: string, value: unknown): StructureQuestion {
  const option = optionOf(question)
  const hasOptions = option && shapeOf(kindOf(question.idname))?.optionType
  if (!hasOptions) return withSettings(question, { [name]: value })
  const isOnQuestion = Object.hasOwn(question, name) && (option[name] === undefined || option[name] === null)
  if (isOnQuestion) return withSettings(question, { [name]: value })
  const [, ...more] = question.children
  return { ...question, children: [withSettings(option, { [name]: value }), ...more] }
}
