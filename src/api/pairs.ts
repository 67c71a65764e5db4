import { type ParsedUrlQuery, parse } from 'node:querystring'
import type { Fault } from '../domain/problem.ts'
import { unsound } from './soundness.ts'

/** Names and values of a query or form: names verbatim (`q1\other`, `q[1]`), a repeated name is a list, no prototype. */
export type Pairs = Record<string, string | string[]>

const EVERY_PAIR = { maxKeys: 0 }

/** Reads a form as browsers write it (WHATWG URL, 5.1); a stray `%` stands for itself. */
export const parseForm = (text: string): Pairs => parse(text, '&', '=', EVERY_PAIR) as ParsedUrlQuery as Pairs

/** A run of bytes beyond ASCII as a form writes them, with what ASCII stands escaped between. */
const ESCAPED_RUN = /(?:%[\da-f]{2})+/gi

/** The first name or value of a form whose escaped bytes are not UTF-8: {@link parseForm} would store U+FFFD for them. */
export function misencoded(text: string): Fault | undefined {
  if (!/%[89a-f][\da-f]/i.test(text)) return undefined
  const wrong = text.split('&').find((pair) => pair.match(ESCAPED_RUN)?.some(isNoText))
  return wrong === undefined ? undefined : { field: nameOf(wrong), message: 'must be percent-encoded UTF-8' }
}

const nameOf = (pair: string) => Object.keys(parseForm(pair))[0] || 'body'

function isNoText(escaped: string): boolean {
  try {
    decodeURIComponent(escaped)
    return false
  } catch {
    return true
  }
}

/**
 * Reads the query of a URL, without its `?`. Unlike a form, it must be encoded properly.
 * @returns the pairs, and a fault for each name or value that is not percent-encoded UTF-8 or holds what cannot be stored,
 *   and for a value without a name
 */
export function parseQuery(text: string): { pairs: Pairs; faults: Fault[] } {
  const faults: Fault[] = []
  if (!text.includes('%') && !NAMELESS.test(text)) return { pairs: parseForm(text), faults }
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals === 0) faults.push({ field: 'query', message: 'has a value without a name' })
    if (!pair.includes('%')) continue
    const field = equals < 0 ? pair : pair.slice(0, equals)
    const message = flaw(pair)
    if (message) faults.push({ field: flaw(field) ? field : decodeURIComponent(field), message })
  }
  return { pairs: parseForm(text), faults }
}

const NAMELESS = /(?:^|&)=/

function flaw(encoded: string): string | undefined {
  try {
    return unsound(decodeURIComponent(encoded))
  } catch {
    return 'must be percent-encoded UTF-8'
  }
}
