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
} as const
