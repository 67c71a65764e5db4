import { isEmailAddress, readEmailAddress } from '../email-address.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { type CustomChange, parseCustomFields } from './custom.ts'

const MAX_NAME_CHARACTERS = 255
/** Control characters and line breaks. A name becomes part of the header of an email. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u

/** The fields of a contact in a request. In an update, absent fields are not changed. */
export interface ContactDraft {
  name?: string | undefined
  email?: string | undefined
  /** Whether the contact has unsubscribed from all email. */
  unsubscribed?: boolean | undefined
  /**
   * Values that have not been checked yet, by the name of the field without prefix. An empty value removes the field.
   */
  custom?: Readonly<Record<string, unknown>> | undefined
}

/** A valid draft, trimmed. */
export interface CheckedDraft {
  name?: string
  email?: string
  custom: CustomChange
}

/** Returns the error of a contact name, if there is one. */
export function nameError(name: string): ValueError | undefined {
  if (!name) return valueError('blank')
  if (CONTROL_CHARACTERS.test(name)) return valueError('multiple_lines')
  return Array.from(name).length > MAX_NAME_CHARACTERS
    ? valueError('too_long', { max: MAX_NAME_CHARACTERS })
    : undefined
}

/** Returns the error of an email address, if there is one. */
export const emailError = (email: string): ValueError | undefined =>
  isEmailAddress(email) ? undefined : valueError('invalid_email')

/**
 * Validates the fields that a draft contains.
 * @param prefix precedes the names of custom fields in errors
 * @throws {Problem} `invalid_request` naming each invalid field
 */
export function checkDraft({ name, email, custom = {} }: ContactDraft, prefix = ''): CheckedDraft {
  const errors: FieldError[] = []
  const trimmed = { name: name?.trim(), email: email === undefined ? undefined : readEmailAddress(email) }
  const checks = {
    name: trimmed.name === undefined ? undefined : nameError(trimmed.name),
    email: trimmed.email === undefined ? undefined : emailError(trimmed.email),
  }
  for (const [field, error] of Object.entries(checks)) if (error) errors.push({ field, ...error })
  const change = parseCustomFields(custom, errors, prefix)
  if (errors.length) throw problems.invalid(errors)
  return {
    ...(trimmed.name !== undefined && { name: trimmed.name }),
    ...(trimmed.email !== undefined && { email: trimmed.email }),
    custom: change,
  }
}
