import type { Question, QuestionKind } from './questionnaire.ts'

/** The most cells of one page: what can be chosen, and rows times choices of grids. */
export const MAX_PAGE_CELLS = 20_000

/** A ranking of more choices asks for numbers: a list of all positions at each would grow with their square. */
export const MAX_LISTED_POSITIONS = 30

/** Returns how many elements a question puts on a page: what its size grows with. */
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

/** Whether a page of a survey stored before pages were bounded has more cells than a page may have now. */
export const isOversized = (questions: readonly Question[]): boolean =>
  questions.reduce((sum, { kind, choices, rows }) => sum + countCells(kind, choices.length, rows.length), 0) >
  MAX_PAGE_CELLS
