import { isEmailAddress } from '../email-address.ts'
import { type FieldError, type ValueError, valueError } from '../field-error.ts'
import { problems } from '../problem.ts'
import { type CustomChange, readCustom } from './custom.ts'

const MAX_NAME_CHARACTERS = 255

/** A contact as a caller gives it. Absent members stay as they are when a contact is changed. */
export interface ContactDraft {
  name?: string | undefined
  email?: string | undefined
  /** Whether messages are no longer wanted. */
  unsubscribed?: boolean | undefined
  /** By the bare name of the field, not checked yet; an empty value empties the field. */
  custom?: Readonly<Record<string, unknown>> | undefined
}

/** A draft whose parts are all known to be right. */
export interface CheckedDraft {
  name?: string
  email?: string
  custom: CustomChange
}

/** Returns what is wrong with the name of a contact, if anything. */
export function nameError(name: string): ValueError | undefined {
  if (!name) return valueError('blank')
  return Array.from(name).length > MAX_NAME_CHARACTERS
    ? valueError('too_long', { max: MAX_NAME_CHARACTERS })
    : undefined
}

/** Returns what is wrong with the email address of a contact, if anything. */
export const emailError = (email: string): ValueError | undefined =>
  isEmailAddress(email) ? undefined : valueError('invalid_email')

/**
 * Checks what is there of a draft.
 * @param prefix what stands before the names of custom fields in the errors
 * @throws {Problem} `invalid_request` naming each member that is wrong
 */
export function checkDraft({ name, email, custom = {} }: ContactDraft, prefix = ''): CheckedDraft {
  const errors: FieldError[] = []
  const parts = { name: name?.trim(), email: email?.trim() }
  const wrong = {
    name: parts.name === undefined ? undefined : nameError(parts.name),
    email: parts.email === undefined ? undefined : emailError(parts.email),
  }
  for (const [field, error] of Object.entries(wrong)) if (error) errors.push({ field, ...error })
  const change = readCustom(custom, errors, prefix)
  if (errors.length) throw problems.invalid(errors)
  return {
    ...(parts.name !== undefined && { name: parts.name }),
    ...(parts.email !== undefined && { email: parts.email }),
    custom: change,
  }
}
