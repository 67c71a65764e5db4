/** What answers are refused with; the first two are the messages the specification has seen in v2's `survey_error`. */
export const NOT_A_CHOICE = 'is not a valid choice for the field'
export const ANSWER_REQUIRED = 'An answer to this question is required.'

/** Characters one text answer may have. */
export const MAXIMUM_TEXT = 100_000

/** Names the value that is no choice, cut short: it may be anything of any length. */
export function notAChoice(sent: unknown): string {
  const text = typeof sent === 'object' && sent !== null ? 'This' : JSON.stringify(String(sent).slice(0, 60))
  return `${text.toWellFormed()} ${NOT_A_CHOICE}.`
}
