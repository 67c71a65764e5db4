import type { Question, QuestionKind } from './questionnaire.ts'

/** Maximum number of cells of one page: choices, and rows times choices of grids. */
export const MAX_PAGE_CELLS = 20_000

/** A ranking of more choices uses number fields: a list of all positions for each choice would grow with their square. */
export const MAX_LISTED_POSITIONS = 30

/** Returns the number of elements of a question on a page; the size of the page grows with it. */
export function countCells(kind: QuestionKind, choices: number, rows: number): number {
  switch (kind) {
    case 'ranking':
      return choices > MAX_LISTED_POSITIONS ? choices : choices * choices
    case 'single-choice-grid':
    case 'dropdown-grid':
      return rows * choices
    case 'text-response-grid':
      return rows
    default:
      return choices
  }
}

/**
 * Reports whether a page has more cells than the limit. Surveys stored before the limit was introduced may have such
 * pages.
 */
export const isOversized = (questions: readonly Question[]): boolean =>
  questions.reduce((sum, { kind, choices, rows }) => sum + countCells(kind, choices.length, rows.length), 0) >
  MAX_PAGE_CELLS
