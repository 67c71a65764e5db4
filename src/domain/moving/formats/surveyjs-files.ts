import { arrayOf, isRecord, type Json } from '../../structure/walk.ts'
import { jsonOf } from '../json-values.ts'

/** Returns whether an object is a form of SurveyJS. */
export const isForm = (json: Json): boolean =>
  [...arrayOf(json.pages).flatMap((page) => (isRecord(page) ? [...elementsOf(page)] : [])), ...elementsOf(json)].some(
    (element) => typeof element.type === 'string' && 'name' in element,
  )

/** Returns the elements of a form, page or panel. */
export const elementsOf = (owner: Json): Json[] =>
  [...arrayOf(owner.elements), ...arrayOf(owner.questions)].filter(isRecord)

/** Returns the results in a file: a list, or an object with a list. */
export function resultsIn(json: unknown): Json[] | undefined {
  const list = Array.isArray(json)
    ? json
    : isRecord(json)
      ? [json.results, json.Data, json.data].find(Array.isArray)
      : undefined
  const results = list?.map((one: unknown) => (typeof one === 'string' ? jsonOf(one) : one)).filter(isRecord)
  return results && results.length > 0 ? results : undefined
}
