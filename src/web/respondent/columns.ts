import type { Page, Question, QuestionKind } from '../../domain/structure/questionnaire.ts'

/** Number of columns in the CSS grid of a page (`question.css`). */
const GRID_COLUMNS = 12
/** Minimum number of grid columns of a question. Narrower fields are too small to read or to type in. */
const MIN_SPAN = 3

/** Kinds of questions that always have the full width, even if the author sets another width. */
const FULL_WIDTH_KINDS: ReadonlySet<QuestionKind> = new Set([
  'single-choice-grid',
  'multiple-choice-grid',
  'dropdown-grid',
  'text-response-grid',
  'net-promoter',
  'rating',
  'image-choice',
  'slider',
])

/**
 * Returns the minimum number of grid columns of a question. Date questions need more columns, because browsers truncate
 * narrow date pickers.
 */
const minSpanOf = ({ kind, format = 'datetime' }: Question): number =>
  kind !== 'datetime' ? MIN_SPAN : format === 'datetime' ? 6 : 4

/** Returns the number of grid columns that a question spans on a wide screen. */
export function spanOf(question: Question): number {
  const { kind, width = 100 } = question
  if (FULL_WIDTH_KINDS.has(kind)) return GRID_COLUMNS
  return Math.min(GRID_COLUMNS, Math.max(minSpanOf(question), Math.round((width * GRID_COLUMNS) / 100)))
}

/** Returns whether a page can have questions side by side. */
export const hasColumns = ({ questions }: Page): boolean =>
  questions.some((question) => spanOf(question) < GRID_COLUMNS)
