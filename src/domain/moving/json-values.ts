import { isRecord, type Json } from '../structure/walk.ts'
import type { Binding } from './source.ts'

/** Separates the steps of a path in the name of a variable. */
const STEP = '\0'

/** Returns the name of a value in an object of a response. */
export const pathOf = (path: readonly string[]): string => path.join(STEP)

/** Returns the name of a value as people read it. */
export const shownPath = (name: string): string => name.replaceAll(STEP, '.')

/** Reads a value in an object of a response. */
export const cellAt =
  (column: string, path: readonly string[]): Binding['read'] =>
  (response) =>
    response.values(pathOf(path)).map((value) => ({ column, value }))

/** Returns the values at a path of a response as texts. */
export function valuesAt(response: Json, path: string): readonly string[] {
  let value: unknown = response
  for (const step of path.split(STEP)) value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return (Array.isArray(value) ? value : [value]).flatMap((one) =>
    one === undefined || one === null || one === ''
      ? []
      : [typeof one === 'object' ? JSON.stringify(one) : String(one)],
  )
}

/** Returns the JSON value of a text; undefined for any other text. */
export function jsonOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text.slice(0, 1000))) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
