import { type ParsedUrlQuery, parse } from 'node:querystring'
import type { Fault } from '../domain/problem.ts'
import { unsound } from './soundness.ts'

/** Names and values of a query or form: names verbatim (`q1\other`, `q[1]`), a repeated name is a list, no prototype. */
export type Pairs = Record<string, string | string[]>

const EVERY_PAIR = { maxKeys: 0 }

/** Reads a form as browsers write it (WHATWG URL, 5.1); a stray `%` stands for itself. */
export const parseForm = (text: string): Pairs => parse(text, '&', '=', EVERY_PAIR) as ParsedUrlQuery as Pairs

/**
 * Reads the query of a URL, without its `?`. Unlike a form, it must be encoded properly.
 * @returns the pairs, and a fault for each name or value that is not percent-encoded UTF-8 or holds what cannot be stored
 */
export function parseQuery(text: string): { pairs: Pairs; faults: Fault[] } {
  const faults: Fault[] = []
  if (!text.includes('%')) return { pairs: parseForm(text), faults }
  for (const pair of text.split('&')) {
    if (!pair.includes('%')) continue
    const equals = pair.indexOf('=')
    const field = equals < 0 ? pair : pair.slice(0, equals)
    const message = flaw(pair)
    if (message) faults.push({ field: flaw(field) ? field : decodeURIComponent(field), message })
  }
  return { pairs: parseForm(text), faults }
}

function flaw(encoded: string): string | undefined {
  try {
    return unsound(decodeURIComponent(encoded))
  } catch {
    return 'must be percent-encoded UTF-8'
  }
}
