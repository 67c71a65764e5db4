import { fillPlaceholders } from '../lib/placeholders.ts'

/**
 * Error messages by name. Each replaces the general message of an error code with a more precise one. For the code
 * `invalid_type`, the message names the expected type. The pages have a translation for each name.
 */
const TEXTS = {
  // Types of members of a structure.
  type_attribute: 'must be a number or a string of at most {max} characters, or a list of them',
  type_array: 'must be an array',
  type_boolean: 'must be true or false',
  type_choice: 'must be an object with a label',
  type_choices: 'must be an array of choices',
  type_condition: 'must be an object with all or any',
  type_count: 'must be a whole number of at least 0',
  type_image: 'must be an object with url and alt',
  type_integer_range: 'must be a whole number from {min} to {max}',
  type_language: 'must be an object with code and name',
  type_number: 'must be a number',
  type_number_range: 'must be a number from {min} to {max}',
  type_object: 'must be an object',
  type_page: 'must be a page',
  type_question: 'must be a question',
  type_question_name: 'must be the ID or identifier of a question',
  type_rule_value: 'must be a string, a number, true or false, or an array of them',
  type_rules: 'must be an array of rules',
  type_string: 'must be a string',
  type_string_up_to: 'must be a string of at most {max} characters',
  type_structure: 'must be an object with a title',
  type_text: 'must be a string, or an object of language codes and strings',
  list_of_numbers: 'must be a list without duplicates of at most {most} numbers from {min} to {max}',
  list_of: 'must be a list without duplicates of {values}',
  one_of: 'must be one of {values}',

  // Structures.
  above_member: 'must not be greater than {member}',
  above_choices: 'must not be greater than the number of choices',
  all_or_any: 'must have either all or any',
  alt_required: 'is required: describe the picture',
  ambiguous_code:
    'can be read in two ways: “{value}” is the code of “{coded}”, and the position or the label of “{other}”. Write the position as a number, or the code as the member code',
  attribute_name: 'is not the name of an attribute: it must have 1 to {max} characters',
  choices_for_type: 'must have at least one choice for {idname}',
  choices_of_yes_no: 'must have two choices, or none; without choices, they are Yes and No',
  conflicting_keys: 'conflicts with {other}: the answers of both would have the name {value}',
  duplicate_code: 'is a duplicate: {value}',
  code_or_value: 'must not be combined with another value',
  comparisons:
    'exceeds the maximum of {max} comparisons: rules times the rows of the grids that they compare, the answers that calculations use, and the values of choices that filters compare',
  day_limit: 'must be a date such as 2026-01-31, today, or today with a number of days such as today-7',
  duplicate_identifier: 'is already taken: {value}',
  duplicate_question_id: 'is the id of another question: {value}',
  duplicate_quota: 'is the name of another quota',
  duplicate_row_key: 'is already the key of a row of the grid {grid}; choose another ID',
  duplicate_uid: 'is a duplicate; omit it to get a new number',
  loop_source: 'must be a question of which respondents can choose several choices',
  loop_in_loop: 'must not be a question on a page that is repeated itself',
  loop_reference:
    'must not be a question that is repeated for each choice, except on the pages that are repeated with it',
  not_repeated: 'is not possible on a page that is repeated for each choice',
  loop_questions: 'makes more than {max} questions',
  loop_cells: 'makes more than {max} choices',
  loop_characters: 'makes texts of more than {max} characters',
  loop_name: '“{value}” is a name of the repetitions of another question',
  earlier_page: 'must be a question of an earlier page',
  earlier_questions: 'must use earlier questions only, not “{value}”',
  filtered_kinds: 'is possible only for {value}',
  incomparable_answers:
    'names a question whose answers cannot be compared: both must be numbers, both dates, both times, both texts, or both yes and no',
  https_url: 'must be an https URL',
  identifier_characters: 'must be a letter followed by letters, digits and _',
  language_code: 'must be a language code such as en or pt-BR',
  dots: 'must not be “.” or “..”, because addresses cannot contain them',
  metadata_name: 'is the name of a metadata field of responses',
  minimum_below: 'must be less than {member}',
  never_filtering: 'names a question whose answers cannot filter choices',
  not_answerable_question: 'names a question that accepts no answer',
  not_later_page: 'must not be a question of a later page',
  one_default_language: 'must have isDefault on exactly one language',
  option_type: 'must be {value} for {idname}',
  panel_address:
    'must start with https://, have {{ respondent_id }} in its query, no other placeholder, no username, no password and no #, and at most 2,000 characters',
  panel_signature_parameter: 'must not contain the parameter of the signature',
  parameter_name:
    'must be a letter followed by at most 63 letters, digits, dots, hyphens and underscores, and not a parameter of survey addresses',
  page_cells:
    'exceeds the maximum of {max} cells per page (choices, and rows times choices); use fewer, or move the question to another page',
  page_placeholders: 'exceeds the maximum of {max} placeholders such as {{ id }} per page',
  page_characters: 'makes the page too large; shorten texts, or move the question to another page',
  positive_integer: 'must be a whole number of at least 1',
  row_required: 'must have at least one row',
  skip_back: 'leads from page {from} back to page {to}',
  skip_page: 'must be an existing page; there are {max}',
  skip_target: 'must be a page number, complete or terminate',
  slider_values: 'is too small: a slider has at most {max} values',
  step_distance: 'must not be greater than the distance between min and max',
  search_comparisons:
    'exceeds the maximum of {max} comparisons by “contains” rules: rules times the rows of the grids that they search',
  surrogates: 'must not contain U+0000 or half of a surrogate pair',
  too_many_choices: 'must have at most {max} choices',
  too_many_pages: 'must have at most {max} pages and questions',
  too_many_placeholders: 'must have at most {max} placeholders such as {{ id }}',
  too_many_rules: 'exceeds the maximum of {max} rules per structure',
  too_many_searches: 'exceeds the maximum of {max} “contains” rules per structure',
  type_page_only: 'must be page',
  unknown_attribute: 'is an attribute that no choice has: {value}',
  unknown_code: 'is a code that no choice of the question has: {value}',
  unstorable_name: 'has a member whose name cannot be stored: {value}',
  used_choice:
    '“{value}” is used in a condition, a skip or a quota. Change the condition, skip or quota first, then remove the choice.',

  // Expressions of calculations.
  expression_depth: 'must be nested at most {max} levels deep',
  expression_function: 'has no function “{value}”; there are {functions}',
  expression_operand_at_end: 'must have a number, an answer or a function at the end',
  expression_operand_before: 'must have a number, an answer or a function before “{value}”',
  expression_operator_at_end: 'must have an operator at the end',
  expression_operator_before: 'must have an operator before “{value}”',
  expression_symbol_at_end: 'must have “{symbol}” at the end',
  expression_symbol_before: 'must have “{symbol}” before “{value}”',
  expression_text: 'cannot be read from “{value}” on',
  expression_values: 'must pass {count} values to the function “{value}”',
  expression_values_range: 'must pass {min} to {max} values to the function “{value}”',

  // Tables that are imported.
  cell_count: 'has {cells} cells, but the header has {columns}',
  column_name: '“{value}” must be 1 to {max} characters, without brackets and surrounding spaces',
  column_reserved: '“{value}” is a standard field of contacts',
  custom_field_name: 'must be 1 to {max} characters, without brackets and surrounding spaces',
  custom_field_reserved: 'is a standard field of contacts',
  duplicate_column: '“{value}” is a duplicate',
  duplicate_rank: 'has the rank {rank} of another choice',
  existing_key: 'is the key of an existing response',
  key_format: 'must be 40 hexadecimal digits',
  key_in_earlier_row: 'occurs in an earlier row',
  no_header: 'has no header',
  not_a_table: 'is neither a CSV file nor an Excel workbook (.xlsx)',
  no_question: 'has no question of this survey',
  quote_not_closed: 'a quoted cell is not closed',
  quote_not_doubled: 'unexpected quotation mark; inside a quoted cell it must be doubled',
  page_numbers: 'must be numbers of pages, separated by commas',
  rank_range: 'must be a rank from 1 to {max}',
  status_name: 'must be Incomplete, Complete or Terminated',
  too_many_columns: 'must have at most {max} columns',
  texts_too_long: 'must select questions whose longest texts have at most {max} bytes together',
  too_many_contacts: 'must have at most {max} contacts',
  too_many_rows: 'must have at most {max} rows',
  simple_language_code: 'must be a language code such as en',

  no_mail_server: 'cannot be sent, because this server has no mail server',

  // Files and forms.
  workbook_cell: 'is too large: it must have at most {max} characters in a cell',
  workbook_cells: 'is too large: it must have at most {max} cells',
  workbook_characters: 'is too large: it must have at most {max} characters',
  workbook_choices: 'is too large: it must have at most {max} characters in the choices of all questions',
  workbook_files: 'is too large: it must have at most {max} files',
  workbook_size: 'is too large: it must have at most {max} MB',
  workbook_rows: 'is too large: it must have at most {max} rows in the sheet survey',
  workbook_columns: 'is too large: each sheet must have at most {max} columns',
  workbook_attributes: 'is too large: an element must have at most {max} attributes',
  workbook_comments: 'is too large: it must have at most {max} characters in XML comments',
  workbook_rules: 'is too large: the survey must have at most {max} rules in conditions',
  workbook_survey_size: 'is too large: the survey must have at most {max} MB as JSON',
  workbook_values:
    'is too large: the survey must have at most {max} values; each question has its own copy of its choices, so use shorter lists or fewer questions',
  empty_file: 'is empty',
  image_pixels: 'must be at most {max} pixels wide and high',
  included_filter: 'A saved filter cannot include the filter “{value}”.',
  in_the_future: 'must be in the future',
  minutes: 'must be at least 1 minute',
  neither_workbook_nor_json: 'is neither an Excel workbook (.xlsx) nor JSON',
  json_depth: 'must be nested at most {max} levels deep',
  json_values: 'must have at most {max} values',
  max_characters: 'must be at most {max} characters',
  not_json: 'is not valid JSON: see line {line}',
  question_required: 'must contain at least one question',
  real_date: 'must be a real date',

  select_contact: 'Select at least one contact',
  select_list: 'Select a list',

  // Accounts, settings and contacts.
  account_exists: 'already has an account',
  already_member: 'belongs to a person who already has access',
  no_account: 'belongs to no account, and this server does not create accounts by invitation',
  own_address: 'is your own address',
  deletion_conditions: 'is required, unless another condition on the time or the network is given',
  anonymous_responses: 'cannot be turned off once there are responses',
  external_image_of:
    'cannot be turned on: the image of choice {number} of “{question}” is on another website; upload it first',
  contact_exists: 'already exists under this name',
  custom_fields: 'you can have at most {max} custom fields',
  first_applications: 'you already have {max} applications; delete one first',
  first_keys: 'you already have {max} keys; revoke one first',
  hex_color: 'must be # and six hexadecimal digits',
  hex_colour: 'must be a colour such as #1f5f8b',
  https_address: 'must start with https://',
  login_name: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
  password_characters: 'must be at least {min} characters',
  pasted_address: 'line {line}: “{value}” is not an email address',
  pasted_addresses: 'must have at least one address',
  predefined_filter: 'is the name of a predefined filter',
  scope_names: 'must be names separated by spaces, without quotes and backslashes',
  setting_date: 'must be a date, or a date and time such as 2026-01-31T12:00:00Z',
  too_many_addresses: 'must have at most {max} addresses; import a file instead',
  too_many_filters: 'exceeds the maximum of {max} different filters in an address',
  page_without_questions: 'must be a page with a question',
  too_many_comments: 'cannot be added: the limit of {max} comments is reached',
  too_many_library_questions: 'a library can have at most {max} questions: delete one first',
  library_question_too_large: 'is too large for the library: it can have at most {max} characters as JSON',
  too_many_preview_links: 'a survey can have at most {max} preview links: revoke one first',
  too_many_tags: 'a survey can have at most {max} tags',
  webhook_exists: 'already has a webhook',
  within_ten_years: 'must be within ten years',
} as const

export type ErrorDetailName = keyof typeof TEXTS

/** A more precise text of an error, with its values. */
export interface ErrorDetail {
  name: ErrorDetailName
  values: Readonly<Record<string, string | number>>
}

/** The texts by name, in English. */
export const errorDetailTexts: Readonly<Record<ErrorDetailName, string>> = TEXTS

/** Creates a more precise text of an error. */
export const detail = (name: ErrorDetailName, values: ErrorDetail['values'] = {}): ErrorDetail => ({ name, values })

/** Returns a more precise text in English. */
export const messageOf = ({ name, values }: ErrorDetail): string => fillPlaceholders(errorDetailTexts[name], values)
