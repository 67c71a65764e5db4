import { isEmailAddress } from '../email-address.ts'
import { type FieldError, problems } from '../problem.ts'
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

/** What is wrong with the name of a contact, if anything. */
export function faultInName(name: string): string | undefined {
  if (!name) return 'must not be empty'
  return Array.from(name).length > MAX_NAME_CHARACTERS
    ? `must have at most ${MAX_NAME_CHARACTERS} characters`
    : undefined
}

/** What is wrong with the e-mail address of a contact, if anything. */
export const faultInEmail = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : 'must be an e-mail address such as ann@example.org'

/**
 * Checks what is there of a draft.
 * @param prefix what stands before the names of custom fields where the caller reads the faults
 * @throws {Problem} `invalid_request` naming each member that is wrong
 */
export function checkDraft({ name, email, custom = {} }: ContactDraft, prefix = ''): CheckedDraft {
  const errors: FieldError[] = []
  const parts = { name: name?.trim(), email: email?.trim() }
  const wrong = {
    name: parts.name === undefined ? undefined : faultInName(parts.name),
    email: parts.email === undefined ? undefined : faultInEmail(parts.email),
  }
  for (const [field, message] of Object.entries(wrong)) if (message) errors.push({ field, message })
  const change = readCustom(custom, errors, prefix)
  if (errors.length) throw problems.invalid(errors)
  return {
    ...(parts.name !== undefined && { name: parts.name }),
    ...(parts.email !== undefined && { email: parts.email }),
    custom: change,
  }
}
