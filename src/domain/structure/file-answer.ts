import { answerTo } from './answered.ts'
import type { Answers, Field, FileGroup, Questionnaire } from './questionnaire.ts'

/** The groups of file types that a question can accept. */
export const FILE_GROUPS: readonly FileGroup[] = [
  'image',
  'pdf',
  'document',
  'spreadsheet',
  'text',
  'audio',
  'video',
  'archive',
]

/** Limits of the settings of a file upload. Sizes are in megabytes. */
export const FILE_LIMITS = { maxFiles: 10, maxSize: 1_000, defaultSize: 10 } as const

/** Maximum size of the image of a signature in megabytes. The image can be a photo. */
export const SIGNATURE_MEGABYTES = 5

/** Returns the file groups that a setting accepts. If the setting names no group, returns all groups. */
export function fileGroupsOf(setting: readonly FileGroup[]): readonly FileGroup[] {
  const groups = FILE_GROUPS.filter((group) => setting.includes(group))
  return groups.length > 0 ? groups : FILE_GROUPS
}

/** A file key: 128 random bits in hexadecimal. */
const KEY = /^[0-9a-f]{32}$/
/** The address of a file ends with its key. */
const ADDRESS = /^https?:\/\/\S{1,2000}\/files\/([0-9a-f]{32})\/?$/

/**
 * Returns the key in a submitted value: a key, or the address of a file as exports and replies contain it.
 * @returns undefined for any other value
 */
export const fileKeyIn = (value: unknown): string | undefined =>
  typeof value !== 'string' ? undefined : KEY.test(value) ? value : ADDRESS.exec(value)?.[1]

/** Returns the keys of the files in a stored answer; none for a typed text. */
export function fileKeysOf(answer: unknown): string[] {
  const keys = typeof answer === 'string' ? answer.split(' ') : []
  return keys.every((key) => KEY.test(key)) ? keys : []
}

/** Returns the values of a submitted list of files. */
export const submittedFiles = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === 'string' ? item.split(/[\s,]+/).filter(Boolean) : [],
  )

const fieldsCache = new WeakMap<Questionnaire, readonly Field[]>()

/** Returns the response keys whose answers are files. */
export function fileFields(q: Questionnaire): readonly Field[] {
  const cached = fieldsCache.get(q) ?? q.fields.filter(({ type }) => type === 'file')
  fieldsCache.set(q, cached)
  return cached
}

/** Returns the fields whose answers contain files, each with the keys of its files. */
export const filesIn = (q: Questionnaire, answers: Answers): { field: Field; keys: string[] }[] =>
  fileFields(q).flatMap((field) => {
    const keys = fileKeysOf(answerTo(answers, field.key))
    return keys.length > 0 ? [{ field, keys }] : []
  })

/**
 * Replaces the keys of files in an answer by their addresses. The addresses are separated by spaces. Returns other
 * answers unchanged.
 * @param addressOf returns the address of the file with a key
 */
export function withFileAddresses<Value>(answer: Value, addressOf: (key: string) => string): Value | string {
  const keys = fileKeysOf(answer)
  return keys.length > 0 ? keys.map(addressOf).join(' ') : answer
}
