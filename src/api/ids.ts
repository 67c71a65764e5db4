import { problems } from '../domain/problem.ts'

/**
 * Parses IDs from a list or from a text with `+`, spaces or commas as separators (`1+2+3`, docs/specification.md 7.8).
 * Removes duplicates. JavaScript can round a number of 16 digits, but stored IDs have fewer digits.
 * @param field the name of the field, for errors
 * @throws {Problem} `invalid_request` for an empty list or an invalid ID
 */
export function idsOf(field: string, input: string | number | readonly (string | number)[] | undefined): number[] {
  const texts = [input ?? []].flat().flatMap((text) =>
    String(text)
      .split(/[+, ]+/)
      .filter(Boolean),
  )
  if (!texts.length) throw problems.invalidField(field, 'missing_parameter', {}, 'must have at least one ID')
  const invalid = texts.find((text) => !/^\d{1,16}$/.test(text))
  if (invalid !== undefined) throw problems.invalidField(field, 'invalid_id', { value: invalid.slice(0, 40) })
  return [...new Set(texts.map(Number))]
}
