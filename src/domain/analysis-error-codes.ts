/** The codes of errors in comparisons, trends and weights. The entries have the same members as those of `fieldErrorCodes`. */
export const analysisErrorCodes = {
  not_countable: {
    text: 'must be a question with choices or numbers; of a grid, name a row',
    meaning: 'The answers to the question are texts, dates, files or ranks, or it is a grid whose row is not named.',
    service: true,
  },
  period_required: {
    text: 'requires filters on `_created_at` with a start and an end',
    meaning: 'There is no period before one that has no start or no end.',
    service: true,
  },
  unknown_time_zone: {
    text: 'is not a time zone, such as Europe/Berlin',
    meaning: 'The service knows no time zone with this name.',
    service: true,
  },
  not_weightable: {
    text: '“{value}” is no question with one choice',
    meaning: 'Weights can be computed from questions for which a response has one choice or rating.',
    service: true,
  },
  wrong_total: {
    text: 'must have percentages that add up to 100 for {question}, but their sum is {sum}',
    meaning: 'The target percentages of a question do not add up to 100.',
    service: true,
  },
  no_responses: {
    text: 'has a target for choice {choice} of {question}, which no complete response contains',
    meaning: 'No weight brings an answer that nobody gave to its target. Combine choices, or leave the choice out.',
    service: true,
  },
} as const
