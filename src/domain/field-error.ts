import { fillPlaceholders, type PlaceholderValues } from '../lib/placeholders.ts'
import { analysisErrorCodes } from './analysis-error-codes.ts'
import { type ErrorDetail, messageOf } from './error-details.ts'

/** The codes of errors in answers, structures and CSV files. */
export const surveyErrorCodes = {
  not_a_choice: { text: 'is not a valid choice for the field', meaning: 'The answer is not one of the choices.' },
  ambiguous_choice: {
    text: '“{value}” is the label of one choice and the index or code of another; import with values=labels or values=indices',
    meaning:
      'A text is the label of one choice and the index or code of another, or the index of one and the code of another.',
  },
  not_exclusive: {
    text: 'has a choice that cannot be combined with others',
    meaning: 'An exclusive choice is combined with others.',
  },
  single_answer: { text: 'must be a single answer', meaning: 'A question that accepts one answer received several.' },
  not_letters: { text: 'must contain letters only', meaning: 'The text contains other characters than letters.' },
  invalid_time: { text: 'must be a time such as {example}', meaning: 'The text is not a time of day.' },
  invalid_datetime: { text: 'must be a date and time such as {example}', meaning: 'The text is not a date and time.' },
  invalid_answer: {
    text: 'does not match the rule of the question',
    meaning: 'The answer violates a rule. The author of the survey wrote the message.',
  },
  other_without_answer: {
    text: 'requires an answer to {question}',
    meaning: 'The text of an “other” choice was sent without an answer to its question.',
  },
  not_answerable: {
    text: 'does not accept an answer',
    meaning: 'The question cannot be answered, or only its rows can be answered.',
  },
  cycle: { text: 'must lead to a later page', meaning: 'A skip leads to the same or an earlier page.' },
  out_of_reach: {
    text: 'must be an earlier question',
    meaning: 'A condition refers to a question that is not answered yet.',
  },
  page_too_large: { text: 'makes the page too large', meaning: 'The page is too large to be shown.' },
  too_complex: {
    text: 'makes the survey too complex',
    meaning: 'The conditions and calculations need too many comparisons, or the page has too many placeholders.',
  },
  invalid_structure: { text: 'is not valid', meaning: 'The part of the structure is not valid.' },
  external_image: {
    text: 'must be an uploaded image, because the survey is anonymous: upload the file instead',
    meaning: 'A survey with an image on another website cannot be anonymous. `params.pointer` is the place.',
    service: true,
  },
  missing_column: { text: 'has no column', meaning: 'The CSV file lacks a column.' },
  invalid_csv: { text: 'is not valid CSV', meaning: 'The text is not CSV, or a row has too many or too few cells.' },
  ambiguous_number: {
    text: '“{value}” can mean {decimal} or {grouped}: write it without a separator for thousands',
    meaning:
      'The number can be read in two ways: its sign can be a decimal sign or separate thousands. `params.decimal` and `params.grouped` are the readings.',
  },
  too_many_digits: {
    text: 'must have at most {max} digits',
    meaning: 'The number has too many digits.',
  },
  too_many_decimals: {
    text: 'must have at most {max} decimal places',
    meaning: 'The number has too many decimal places.',
  },
  invalid_expression: { text: 'is not a valid expression', meaning: 'The expression of a calculation cannot be read.' },
  consent_changed: {
    text: 'was given to texts that have changed',
    meaning: 'The texts of the consent were changed after the respondent opened the page.',
  },
  file_not_found: {
    text: 'is not a file that was uploaded for this question, or the file has expired',
    meaning: 'No file has this key, it belongs to another question or response, or it was not used within a day.',
    service: true,
  },
  file_empty: { text: 'is empty', meaning: 'The uploaded file has no content.', service: true },
  file_too_large: { text: 'must be at most {max} MB', meaning: 'The uploaded file is too large.', service: true },
  file_type_not_accepted: {
    text: 'has a type that the question does not accept',
    meaning: 'The content of the file is of another type than the question accepts, whatever its name says.',
    service: true,
  },
  file_infected: {
    text: 'was rejected by the virus scan',
    meaning: 'The virus scanner of the server rejected the file. Nothing was stored.',
    service: true,
  },
  too_many_files: { text: 'must have at most {max} files', meaning: 'The answer has too many files.', service: true },
  file_storage_full: {
    text: 'cannot be stored, because the owner of the survey has reached a limit of {max} MB',
    meaning: 'The files of the account have reached the limit of the server.',
    service: true,
  },
  invalid_step: {
    text: 'must be {below} or {above}',
    meaning: 'The number is between two accepted values.',
  },
  wrong_sum: {
    text: 'must add up to {total}, but the sum is {sum}',
    meaning: 'The numbers in the rows of a constant sum do not add up to its total.',
  },
  sum_too_large: {
    text: 'must add up to {max} or less, but the sum is {sum}',
    meaning: 'The numbers in the rows of a constant sum add up to more than its total.',
  },
} as const

/** The codes of errors in an uploaded workbook. The entries have the same members as those of `fieldErrorCodes`. */
export const workbookErrorCodes = {
  not_a_workbook: {
    text: 'is not an Excel workbook (.xlsx)',
    meaning: 'The file has another format, whatever its name says.',
    service: true,
  },
  old_workbook: {
    text: 'is an Excel 97–2003 workbook (.xls); open it in Excel or LibreOffice, and save it as .xlsx',
    meaning: 'The file is an .xls workbook.',
    service: true,
  },
  password_protected: {
    text: 'is protected with a password; save it without one',
    meaning: 'The workbook is encrypted.',
    service: true,
  },
  workbook_too_large: {
    text: 'is too large: it must have at most {max} {unit}',
    meaning: 'The workbook exceeds a limit when it is unpacked.',
    service: true,
  },
  workbook_too_complex: {
    text: 'takes too long or too much memory to convert; divide the form',
    meaning: 'The conversion reached its limit of 10 seconds or of memory.',
    service: true,
  },
  damaged_workbook: {
    text: 'is damaged; open it in a spreadsheet program and save it again',
    meaning: 'A part of the workbook is missing or cannot be read.',
    service: true,
  },
  missing_sheet: {
    text: 'must be a sheet with the column type',
    meaning: 'The workbook has no sheet of this name, or the sheet lacks a column.',
    service: true,
  },
} as const

/** The codes of errors in the files of another survey tool. */
export const movingErrorCodes = {
  unknown_survey_file: {
    text: 'is not a survey of a tool whose surveys can be imported',
    meaning: 'No file is a survey in a format that can be imported.',
    service: true,
  },
  survey_file_missing: {
    text: 'must come with the file of the survey: {wanted}',
    meaning: 'The files contain responses, but not the survey.',
    service: true,
  },
  damaged_survey_file: {
    text: 'is damaged or incomplete ({place})',
    meaning: 'The file cannot be read. `params.place` says where.',
    service: true,
  },
  survey_file_too_large: {
    text: 'is too large: at most {max} MB, unpacked',
    meaning: 'The files exceed a limit when they are unpacked.',
    service: true,
  },
  survey_file_too_complex: {
    text: 'takes too long or too much memory to read; divide the responses',
    meaning: 'Reading the files reached its limit of 10 seconds or of memory.',
    service: true,
  },
  too_many_responses: {
    text: 'must have at most {max} responses',
    meaning: 'The files contain too many responses.',
    service: true,
  },
} as const

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
  invalid_font: {
    text: 'must be a WOFF2 file with one font',
    meaning: 'The file is not a complete WOFF2 file with one font.',
    service: true,
  },
  font_too_large: {
    text: 'must be at most {max} bytes',
    meaning: 'The font file has too many bytes.',
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
  ...analysisErrorCodes,
  ...movingErrorCodes,
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
  return fillPlaceholders(text, params as PlaceholderValues).replace(/\b1 (character|item)s\b/, '1 $1')
}
