import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { momentOf } from '../structure/datetime.ts'

const MAX_MESSAGE_CHARACTERS = 10_000
const MAX_ADDRESS_CHARACTERS = 2_000
/** Of a password shared by many people. Shorter ones that were set earlier stay valid. */
export const MIN_SHARED_PASSWORD_CHARACTERS = 8
/** Bounds the time of hashing. */
const MAX_PASSWORD_CHARACTERS = 1_000

/** Turns what a caller gave into what is kept, or says through `refuse` why it cannot be kept. */
export type ValueParser<Given, Kept> = (given: Given, refuse: (error: ValueError) => void) => Kept | undefined

/** Collects what is wrong with the members of a change. */
export class SettingErrors {
  readonly errors: FieldError[] = []

  /** The value to keep; undefined when nothing was given, or nothing usable. */
  read<Given, Kept>(field: string, given: Given | undefined, reader: ValueParser<Given, Kept>): Kept | undefined {
    if (given === undefined) return undefined
    return reader(given, (error) => this.errors.push({ field, ...error }))
  }
}

export const message: ValueParser<string | null, string> = (given, refuse) => {
  if (given === null) return ''
  if (given.length <= MAX_MESSAGE_CHARACTERS) return given
  refuse(valueError('too_long', { max: MAX_MESSAGE_CHARACTERS }))
}

/** A date without a time is midnight; without a zone it is UTC. An empty string removes the bound. */
export const time: ValueParser<string | null, string | null> = (given, refuse) => {
  if (given === null || given.trim() === '') return null
  const moment = momentOf(given.trim())
  if (moment && moment.format !== 'time') return new Date(moment.instant).toISOString()
  refuse(valueError('invalid_setting', {}, 'must be a date, or a date and time such as 2026-01-31T12:00:00Z'))
}

export const count: ValueParser<number | '' | null, number | null> = (given, refuse) => {
  if (given === null || given === '') return null
  if (Number.isSafeInteger(given) && given >= 1) return given
  refuse(valueError('invalid_setting', {}, 'must be a whole number of at least 1'))
}

const addressOf = (given: string): URL | undefined =>
  given.length <= MAX_ADDRESS_CHARACTERS && URL.canParse(given.trim()) ? new URL(given.trim()) : undefined

/** A placeholder for an answer, `{{ question }}`, in a parsed URL. */
const ENCODED_PLACEHOLDER = /(?:\{|%7B){2}.*?(?:\}|%7D){2}/gi

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const webAddress: ValueParser<string | null, string | null> = (given, refuse) => {
  if (given === null || given.trim() === '') return null
  const url = addressOf(given)
  const isPlain = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
  // Answers may be part of the path and the query, but not of the host.
  if (isPlain && !url.host.includes('{')) return url.href.replace(ENCODED_PLACEHOLDER, decoded)
  refuse(
    valueError(
      'url_not_allowed',
      {},
      `must start with https:// or http:// and be at most ${MAX_ADDRESS_CHARACTERS} characters`,
    ),
  )
}

const isLoopback = (host: string) => /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host)

/** Returns whether secrets may be sent to a URL: it uses HTTPS or the loopback interface. */
export const isConfidential = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))

/** Reads the address of an identity system: HTTPS except on loopback (docs/specification.md 12.1), without a final slash. */
export const endpoint: ValueParser<string | null, string> = (given, refuse) => {
  if (given === null || given.trim() === '') return ''
  const url = addressOf(given)
  if (!url || !isConfidential(url))
    refuse(valueError('url_not_allowed', {}, 'must start with https:// (http:// for localhost only)'))
  else if (url.username || url.password || url.search || url.hash)
    refuse(valueError('url_not_allowed', {}, 'must not have credentials, a query or a fragment'))
  else return url.href.replace(/\/+$/, '')
}

/** Null, false and an empty string remove the secret. */
export const secret: ValueParser<string | false | null, string | null> = (given, refuse) => {
  if (!given) return null
  if (given.length <= MAX_PASSWORD_CHARACTERS) return given
  refuse(valueError('too_long', { max: MAX_PASSWORD_CHARACTERS }))
}

/** As a {@link secret}, for a password that people type. */
export const password: ValueParser<string | false | null, string | null> = (given, refuse) => {
  if (given && given.length < MIN_SHARED_PASSWORD_CHARACTERS)
    refuse(
      valueError(
        'weak_password',
        { min: MIN_SHARED_PASSWORD_CHARACTERS },
        `must be at least ${MIN_SHARED_PASSWORD_CHARACTERS} characters`,
      ),
    )
  else return secret(given, refuse)
}
