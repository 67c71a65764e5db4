import type { Page, Question, QuestionKind } from '../../domain/structure/questionnaire.ts'

/** Number of grid columns (`question.css`). */
const GRID_COLUMNS = 12
/** Narrower fields are too small to read or type in. */
const MIN_SPAN = 3

/** Kinds of questions that take the full width, whatever width the author sets: tables and scales. */
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

/** Returns the minimum number of grid columns of a question. Browsers truncate date pickers that are too narrow. */
const minSpanOf = ({ kind, format = 'datetime' }: Question): number =>
  kind !== 'datetime' ? MIN_SPAN : format === 'datetime' ? 6 : 4

/** Returns the number of grid columns that a question spans on a wide screen. */
export function spanOf(question: Question): number {
  const { kind, width = 100 } = question
  if (FULL_WIDTH_KINDS.has(kind)) return GRID_COLUMNS
  return Math.min(GRID_COLUMNS, Math.max(minSpanOf(question), Math.round((width * GRID_COLUMNS) / 100)))
}

/** Returns whether some questions of a page stand side by side. */
export const hasColumns = ({ questions }: Page): boolean =>
  questions.some((question) => spanOf(question) < GRID_COLUMNS)
