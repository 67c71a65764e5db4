import { type FieldError, fieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { metaFieldByKey } from '../../structure/meta-fields.ts'
import { targetOf } from '../../structure/target.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Completion } from './submission-batcher.ts'

/** Meta fields that a request can set. */
export type SettableMeta = '_completed' | '_collector' | '_language' | '_key'

/** A request body split into meta fields and raw answers. */
export interface ParsedSubmission {
  answers: Record<string, unknown>
  completed?: Completion
  collectorId?: number
  language?: string
  /** The key of the response: 20 bytes. */
  key?: Buffer
}

/** Meta fields that clients receive and can send back in an edit. The edit does not change them. */
const READ_ONLY_NAMES: ReadonlySet<string> = new Set(
  [...metaFieldByKey.keys(), 'response_uri'].filter((key) => !['_completed', '_collector', '_language'].includes(key)),
)

/** Removes the read-only meta fields from the request body of an edit. */
export const withoutReadOnly = (raw: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([name]) => !READ_ONLY_NAMES.has(name)))

const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
const KEY = /^[0-9a-f]{40}$/i

/**
 * Splits a request body into answers and meta fields. A name that begins with `_` is a meta field, unless it is the key
 * of a question. Empty values of allowed meta fields are ignored.
 * @throws {Problem} `invalid_request` naming each meta field that is not allowed or invalid
 */
export function parseSubmission(
  { questionnaire, collectors }: Pick<SurveySnapshot, 'questionnaire' | 'collectors'>,
  raw: Readonly<Record<string, unknown>>,
  allowed: readonly SettableMeta[],
): ParsedSubmission {
  const parsed: ParsedSubmission = { answers: Object.create(null) as Record<string, unknown> }
  const errors: FieldError[] = []
  for (const name of Object.keys(raw)) {
    const value = raw[name]
    if (!name.startsWith('_') || targetOf(questionnaire, name)) parsed.answers[name] = value
    else if (!(allowed as readonly string[]).includes(name))
      errors.push(fieldError(name, 'read_only', { allowed: [...allowed] }, readOnlyText(allowed)))
    else if (value !== '' && value !== null && value !== undefined) {
      const error = setMeta(parsed, name as SettableMeta, value, collectors)
      if (error) errors.push({ field: name, ...error })
    }
  }
  if (errors.length) throw problems.invalid(errors)
  return parsed
}

const readOnlyText = (allowed: readonly SettableMeta[]) =>
  `cannot be set, and is not a question of this survey; apart from answers, only ${allowed.join(', ')} are accepted`

const invalid = (message: string): ValueError => valueError('invalid_metadata', {}, message)

/** Sets a meta field. @returns the error of an invalid value */
function setMeta(
  parsed: ParsedSubmission,
  name: SettableMeta,
  value: unknown,
  collectors: SurveySnapshot['collectors'],
): ValueError | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return invalid('must be a single value')
  switch (name) {
    case '_completed':
      if (!/^[012]$/.test(text)) return invalid('must be 0, 1 or 2')
      parsed.completed = Number(text) as Completion
      return undefined
    case '_collector':
      if (!/^\d{1,15}$/.test(text) || !collectors.has(Number(text))) return valueError('unknown_collector')
      parsed.collectorId = Number(text)
      return undefined
    case '_language':
      if (!LANGUAGE.test(text)) return invalid('must be a language code such as en or pt-BR')
      parsed.language = text
      return undefined
    case '_key':
      if (!KEY.test(text)) return invalid('must be the key of a response: 40 hexadecimal digits')
      parsed.key = Buffer.from(text, 'hex')
      return undefined
  }
}
