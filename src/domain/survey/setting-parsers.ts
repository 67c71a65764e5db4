import { detail } from '../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { parseIsoDatetime } from '../structure/datetime.ts'
import { defaultSettings } from './settings.ts'

const MAX_MESSAGE_CHARACTERS = 10_000
const MAX_ADDRESS_CHARACTERS = 2_000
const MAX_SCOPE_CHARACTERS = 1_000
/**
 * Minimum length of a password that all respondents share. Shorter passwords that were set before this limit existed
 * remain valid.
 */
export const MIN_SHARED_PASSWORD_CHARACTERS = 8
/** Maximum length of a password. It limits the time that hashing takes. */
const MAX_PASSWORD_CHARACTERS = 1_000

/** Converts the value of a request to the stored value, or reports an error with `fail`. */
export type ValueParser<Input, Stored> = (value: Input, fail: (error: ValueError) => void) => Stored | undefined

/** Collects the errors in the fields of a settings change. */
export class SettingErrors {
  readonly list: FieldError[] = []

  /** Returns the stored value; undefined for an absent or invalid one. */
  read<Input, Stored>(field: string, value: Input | undefined, parse: ValueParser<Input, Stored>): Stored | undefined {
    if (value === undefined) return undefined
    return parse(value, (error) => this.list.push({ field, ...error }))
  }
}

export const message: ValueParser<string | null, string> = (value, fail) => {
  if (value === null) return ''
  if (value.length <= MAX_MESSAGE_CHARACTERS) return value
  fail(valueError('too_long', { max: MAX_MESSAGE_CHARACTERS }))
}

/**
 * Parses a time. A date without a time means midnight; a time without a zone is in UTC. An empty string removes the
 * time.
 */
export const time: ValueParser<string | null, string | null> = (value, fail) => {
  if (value === null || value.trim() === '') return null
  const parsed = parseIsoDatetime(value.trim())
  if (parsed && parsed.format !== 'time') return new Date(parsed.instant).toISOString()
  fail(valueError('invalid_setting', {}, detail('setting_date')))
}

export const count: ValueParser<number | '' | null, number | null> = (value, fail) => {
  if (value === null || value === '') return null
  if (Number.isSafeInteger(value) && value >= 1) return value
  fail(valueError('invalid_setting', {}, detail('positive_integer')))
}

const MAX_THRESHOLD = 100

/** Parses a number of at least 1; null or empty for the default. */
export const threshold: ValueParser<number | '' | null, number> = (value, fail) => {
  if (value === null || value === '') return defaultSettings.anonymity_threshold
  if (Number.isInteger(value) && value >= 1 && value <= MAX_THRESHOLD) return value
  fail(valueError('invalid_setting', {}, `must be a whole number from 1 to ${MAX_THRESHOLD}`))
}

const addressOf = (value: string): URL | undefined =>
  value.length <= MAX_ADDRESS_CHARACTERS && URL.canParse(value.trim()) ? new URL(value.trim()) : undefined

/** A placeholder for an answer, `{{ question }}`, in a parsed URL. */
const ENCODED_PLACEHOLDER = /(?:\{|%7B){2}.*?(?:\}|%7D){2}/gi

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const webAddress: ValueParser<string | null, string | null> = (value, fail) => {
  if (value === null || value.trim() === '') return null
  const url = addressOf(value)
  const isAllowed = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
  // The path and the query may contain answers, but the host may not.
  if (isAllowed && !url.host.includes('{')) return url.href.replace(ENCODED_PLACEHOLDER, decode)
  fail(
    valueError(
      'url_not_allowed',
      {},
      `must start with https:// or http:// and have at most ${MAX_ADDRESS_CHARACTERS} characters; the host must not be a placeholder, and there must be no username or password`,
    ),
  )
}

const isLoopback = (host: string) => /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)

/** Returns whether secrets may be sent to a URL: whether the URL uses HTTPS or the loopback interface. */
export const isConfidential = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))

/**
 * Parses the endpoint of an identity provider: HTTPS except on loopback (docs/specification.md 12.1). Removes a slash
 * at the end.
 */
export const endpoint: ValueParser<string | null, string> = (value, fail) => {
  if (value === null || value.trim() === '') return ''
  const url = addressOf(value)
  if (!url || !isConfidential(url))
    fail(valueError('url_not_allowed', {}, 'must start with https:// (http:// for localhost only)'))
  else if (url.username || url.password || url.search || url.hash)
    fail(valueError('url_not_allowed', {}, 'must not have credentials, a query or a fragment'))
  else return url.href.replace(/\/+$/, '')
}

/**
 * Parses the scopes of an authorization request: printable ASCII without quotes and backslashes (RFC 6749, 3.3). Null and
 * an empty string remove them.
 */
export const scope: ValueParser<string | null, string> = (value, fail) => {
  const scopes = (value ?? '').split(' ').filter(Boolean).join(' ')
  if (scopes.length > MAX_SCOPE_CHARACTERS) fail(valueError('too_long', { max: MAX_SCOPE_CHARACTERS }))
  else if (/^[ !#-[\]-~]*$/.test(scopes)) return scopes
  else fail(valueError('invalid_setting', {}, detail('scope_names')))
}

/** Parses a secret. Null, false and an empty string remove the secret. */
export const secret: ValueParser<string | false | null, string | null> = (value, fail) => {
  if (!value) return null
  if (value.length <= MAX_PASSWORD_CHARACTERS) return value
  fail(valueError('too_long', { max: MAX_PASSWORD_CHARACTERS }))
}

/** Parses a {@link secret} that respondents type, with a minimum length. */
export const password: ValueParser<string | false | null, string | null> = (value, fail) => {
  if (value && value.length < MIN_SHARED_PASSWORD_CHARACTERS)
    fail(
      valueError(
        'weak_password',
        { min: MIN_SHARED_PASSWORD_CHARACTERS },
        detail('password_characters', { min: MIN_SHARED_PASSWORD_CHARACTERS }),
      ),
    )
  else return secret(value, fail)
}
