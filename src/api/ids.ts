import { problems } from '../domain/problem.ts'

/**
 * A list of ids as clients write one: a list, or a text with `+`, space or comma between (`1+2+3`, decisions,
 * section 1). Repeated ones count once. Sixteen digits may be more than a number holds exactly: no id grows that long, so
 * that what is rounded there is as unknown as what was written.
 * @param field for the refusal
 * @throws {Problem} `invalid_request` when there is none, or one is no id
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
