import { problems } from '../domain/problem.ts'

/**
 * Parses a list of IDs: a list, or a text separated by `+`, spaces or commas (`1+2+3`). Duplicates are removed. An ID of
 * sixteen digits can be rounded; no stored ID is that long, so it is not found either way.
 * @param field the field of the error
 * @throws {Problem} `invalid_request` for an empty list or an invalid ID
 */
export function idsOf(field: string, given: string | number | readonly (string | number)[] | undefined): number[] {
  const texts = [given ?? []].flat().flatMap((text) =>
    String(text)
      .split(/[+, ]+/)
      .filter(Boolean),
  )
  if (!texts.length) throw problems.invalidField(field, 'missing_parameter', {}, 'must have at least one ID')
  const wrong = texts.find((text) => !/^\d{1,16}$/.test(text))
  if (wrong !== undefined) throw problems.invalidField(field, 'invalid_id', { value: wrong.slice(0, 40) })
  return [...new Set(texts.map(Number))]
}
