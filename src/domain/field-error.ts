import { type ErrorDetail, messageOf } from './error-details.ts'
import { surveyErrorCodes } from './survey-error-codes.ts'
import { workbookErrorCodes } from './workbook-error-codes.ts'

/** Values that belong to an error, such as the limit that was exceeded. */
export type FieldErrorParams = Readonly<Record<string, string | number | (string | number)[]>>

export interface CodeDefinition {
  /** English message, shown after the name of the field unless it contains `{field}`. `{min}` is the parameter `min`. */
  text: string
  /** Description in the API reference. */
  meaning: string
  /** Set if a request that matches the contract can have this error. */
  service?: true
}

const define = <Code extends string>(codes: Record<Code, CodeDefinition>): Readonly<Record<Code, CodeDefinition>> =>
  codes

/**
 * Every code of a field error. The contract, its guide and its examples are checked against this list by
 * `test/error-codes.test.ts`.
 */
export const fieldErrorCodes = define({
  // Codes for violations of the API contract.
  required: { text: 'is required', meaning: 'A value is missing.' },
  blank: { text: 'must not be blank', meaning: 'The text is empty or consists of white space.', service: true },
  invalid_type: { text: 'must be {type}', meaning: 'The value has another JSON type.' },
  invalid_value: { text: 'is not an accepted value', meaning: 'The value is not one of the accepted values.' },
  invalid_format: { text: 'has an invalid format', meaning: 'The text does not have the required format.' },
  invalid_email: { text: 'must be an email address', meaning: 'The text is not an email address.' },
  invalid_url: { text: 'must be an absolute URL', meaning: 'The text is not a URL.' },
  invalid_date: { text: 'must be a date such as 2026-01-31', meaning: 'The text is not a date or time.' },
  invalid_phone: { text: 'must be a telephone number', meaning: 'The text is not a telephone number.' },
  invalid_characters: {
    text: 'must not contain the character U+0000',
    meaning: 'The text contains characters that are not accepted.',
  },
  invalid_encoding: { text: 'must be percent-encoded UTF-8', meaning: 'The text is not encoded correctly.' },
  invalid_json: { text: 'must be JSON', meaning: 'The member of a form is not valid JSON.' },
  not_a_number: { text: 'must be a number', meaning: 'The value is not a number.' },
  not_an_integer: { text: 'must be a whole number', meaning: 'The value is not a whole number.' },
  too_early: { text: 'must not be before {min}', meaning: 'The date is before the first one that is accepted.' },
  too_late: { text: 'must not be after {max}', meaning: 'The date is after the last one that is accepted.' },
  too_small: { text: 'must be at least {min}', meaning: 'The number is below the minimum.' },
  too_large: { text: 'must be at most {max}', meaning: 'The number is above the maximum.' },
  too_short: { text: 'must be at least {min} characters', meaning: 'The text is too short.' },
  too_long: { text: 'must be at most {max} characters', meaning: 'The text is too long.' },
  too_few: { text: 'must have at least {min} items', meaning: 'The list has too few items.' },
  too_many: { text: 'must have at most {max} items', meaning: 'The list has too many items.' },
  too_deep: { text: 'must be nested at most {max} levels deep', meaning: 'The value is nested too deeply.' },
  duplicate: { text: 'must not contain duplicates', meaning: 'The same value occurs twice.' },
  unknown_property: { text: 'Unknown property: {field}', meaning: 'The object has no property with this name.' },
  reserved_name: { text: 'is a reserved name', meaning: 'The name is reserved.' },
  not_allowed: { text: 'is not allowed here', meaning: 'The value cannot be combined with the rest of the request.' },

  // Codes for violations of rules that the API contract does not describe.
  missing_parameter: {
    text: 'is required in the query or the body',
    meaning: 'A value that can be sent in the query or the body is missing.',
    service: true,
  },
  mutually_exclusive: {
    text: 'cannot be combined with {other}',
    meaning: 'Two values exclude each other.',
    service: true,
  },
  unknown_parameter: {
    text: 'Unknown query parameter: {field}',
    meaning: 'The query parameter is neither a parameter of the operation nor a question of the survey.',
    service: true,
  },
  invalid_filter: { text: 'is not a valid filter', meaning: 'The operator or the value is not valid.', service: true },
  unknown_filter: { text: 'is not a filter of this survey', meaning: 'No filter has this name.', service: true },
  invalid_network: {
    text: 'must be an IP address, or a network such as 203.0.113.0/24 or 2001:db8:7::/48',
    meaning: 'The text is neither an IP address nor a network.',
    service: true,
  },
  no_ip_addresses: {
    text: 'cannot be used, because the survey is anonymous and stores no IP addresses',
    meaning: 'All responses of the survey are anonymous.',
    service: true,
  },
  invalid_cursor: {
    text: 'is not a cursor of this feed',
    meaning: 'The text is not a cursor of this feed.',
    service: true,
  },
  cursor_expired: {
    text: 'refers to a change that no longer exists; omit it to start again',
    meaning: 'The service was restored from a backup older than the cursor.',
    service: true,
  },
  invalid_id: { text: '“{value}” is not a valid ID', meaning: 'The text is not an ID.', service: true },
  not_found: { text: '“{value}” does not exist', meaning: 'The object is missing or hidden from you.', service: true },
  unknown_question: {
    text: '“{value}” is not a question of this survey',
    meaning: 'The survey has no question with this name.',
    service: true,
  },
  unknown_collector: {
    text: 'is not a collector of this survey',
    meaning: 'The survey has no collector with this ID.',
    service: true,
  },
  unknown_language: {
    text: '“{value}” is not a language of this survey',
    meaning: 'The survey is not available in this language.',
    service: true,
  },
  unknown_role: { text: '“{value}” is not a role', meaning: 'There is no role with this name.' },
  invalid_metadata: {
    text: 'is not a valid value',
    meaning: 'The value of a metadata field of a response is not valid.',
  },
  read_only: { text: 'is read-only', meaning: 'The value cannot be set.', service: true },
  invalid_chart: {
    text: '“{question}” cannot be shown as {chart}',
    meaning: 'The question cannot be shown as this chart.',
    service: true,
  },
  multiple_pages: {
    text: 'has several pages; this operation supports surveys of one page only',
    meaning: 'The operation supports surveys of one page only.',
    service: true,
  },
  taken: { text: 'is already taken', meaning: 'Another object has this value.', service: true },
  limit_reached: { text: 'must be at most {max}', meaning: 'A limit of the service is reached.', service: true },
  invalid_name: {
    text: 'is not a valid name',
    meaning: 'The name contains characters that are not allowed.',
  },
  weak_password: { text: 'is too easy to guess', meaning: 'The password is too short or too common.', service: true },
  wrong_password: { text: 'must be your current password', meaning: 'The password is wrong.', service: true },
  password_not_set: {
    text: 'must be the password, because none is set',
    meaning: '`true` keeps the present password, but none is set.',
    service: true,
  },
  secret_required: {
    text: 'must be sent again, or null, when endpoint_uri changes',
    meaning: 'The stored secret is never sent to a new URL.',
    service: true,
  },
  url_not_allowed: { text: 'is not an allowed URL', meaning: 'Requests to this URL are not allowed.', service: true },
  invalid_setting: { text: 'is not a valid setting', meaning: 'The value of the setting is not valid.' },
  low_contrast: {
    text: 'has too little contrast',
    meaning:
      'Texts in this colour are hard to read. `params.ratio` is the measured contrast, `params.min` the minimum of WCAG AA.',
    service: true,
  },
  invalid_image: {
    text: 'must have one of these types: {accepted}',
    meaning: 'The file is not an image of an accepted format.',
    service: true,
  },
  image_too_large: {
    text: 'must be at most {max} bytes',
    meaning: 'The image has too many bytes or pixels.',
    service: true,
  },
  image_incomplete: {
    text: 'is incomplete: the end of the image is missing',
    meaning: 'The end of the image is missing.',
    service: true,
  },
  too_many_images: {
    text: 'exceeds the limit of {max} images for a survey',
    meaning: 'The survey has the maximum number of images.',
    service: true,
  },
  invalid_period: {
    text: 'must be before close_at',
    meaning: 'The start of the period is after its end.',
    service: true,
  },
  anonymity_locked: {
    text: 'cannot be turned off',
    meaning: 'Respondents were promised anonymity.',
    service: true,
  },
  invalid_sender: {
    text: 'must be a name and an email address, such as Ann Example <ann@example.org>',
    meaning: 'The sender is not a name with an email address.',
  },
  multiple_lines: { text: 'must be a single line', meaning: 'The text has a line break.', service: true },
  missing_placeholder: {
    text: 'must contain {placeholder}',
    meaning: 'The text lacks a required placeholder.',
    service: true,
  },
  invalid_delay: {
    text: 'must be a delay such as 1w2d, with the units w, d, h and m',
    meaning: 'The text is not a delay.',
  },
  no_recipients: { text: 'must have at least one recipient', meaning: 'The email has no recipient.', service: true },
  email_unavailable: {
    text: 'cannot be changed, because this server does not send email',
    meaning: 'The server does not send email.',
    service: true,
  },

  ...surveyErrorCodes,
  ...workbookErrorCodes,
} as const)

export type FieldErrorCode = keyof typeof fieldErrorCodes

/** An error in a value. */
export interface ValueError {
  code: FieldErrorCode
  /** In English. */
  message: string
  params?: FieldErrorParams
  /** Identifies the text of the message if that text is more precise than the text of the code. */
  detail?: ErrorDetail
}

/** An error in a field: a parameter, a body member, a question key or a JSON pointer. */
export interface FieldError extends ValueError {
  field: string
}

/**
 * Creates an error in a value.
 * @param message replaces the text of the code
 */
export function valueError(
  code: FieldErrorCode,
  params?: FieldErrorParams,
  message: string | ErrorDetail = fillText(fieldErrorCodes[code].text, params),
): ValueError {
  const detail = typeof message === 'string' ? undefined : message
  return {
    code,
    message: typeof message === 'string' ? message : messageOf(message),
    ...(params && Object.keys(params).length > 0 && { params }),
    ...(detail && { detail }),
  }
}

/** Creates an error in a field. */
export function fieldError(
  field: string,
  code: FieldErrorCode,
  params?: FieldErrorParams,
  message?: string | ErrorDetail,
): FieldError {
  return { field, ...valueError(code, params, message ?? fillText(fieldErrorCodes[code].text, { field, ...params })) }
}

/** Returns errors as one English text: `name: is required; Unknown property: colour`. */
export const describeErrors = (errors: readonly FieldError[]): string =>
  errors.map(({ field, message }) => (/^Unknown .*: /.test(message) ? message : `${field}: ${message}`)).join('; ')

function fillText(text: string, params: FieldErrorParams = {}): string {
  return text
    .replace(/\{(\w+)\}/g, (match, name: string) => (Object.hasOwn(params, name) ? String(params[name]) : match))
    .replace(/\b1 (character|item)s\b/, '1 $1')
}
