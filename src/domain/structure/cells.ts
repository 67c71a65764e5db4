import type { Question, QuestionKind } from './questionnaire.ts'

/**
 * Maximum number of cells of one page. A question has one cell for each choice; a grid has one cell for each choice in
 * each row. A ranking with dropdowns has one cell for each option of each dropdown.
 */
export const MAX_PAGE_CELLS = 20_000

/**
 * Maximum number of choices for which a ranking shows dropdowns. There is one dropdown for each choice, and each
 * dropdown lists all positions. The total size of the dropdowns therefore grows with the square of the number of
 * choices. If a ranking has more choices, respondents enter the positions in number fields.
 */
export const MAX_LISTED_POSITIONS = 30

/** Returns the number of cells of a question. */
export function countCells(kind: QuestionKind, choices: number, rows: number): number {
  switch (kind) {
    case 'ranking':
      return choices > MAX_LISTED_POSITIONS ? choices : choices * choices
    case 'single-choice-grid':
    case 'multiple-choice-grid':
    case 'dropdown-grid':
      return rows * choices
    case 'text-response-grid':
      return rows
    default:
      return choices
  }
}

/**
 * Reports whether a page has more cells than the limit. Only surveys stored before the limit was introduced can have
 * such pages.
 */
export const isOversized = (questions: readonly Question[]): boolean =>
  questions.reduce((sum, { kind, choices, rows }) => sum + countCells(kind, choices.length, rows.length), 0) >
  MAX_PAGE_CELLS
