import type { Page, Question, QuestionKind } from '../../domain/structure/questionnaire.ts'

/** A line is this many parts wide (`question.css`). */
const GRID_COLUMNS = 12
/** Nothing can be read or typed in less than a quarter of the page. */
const MIN_SPAN = 3

/** Tables and scales need the whole line whatever their author says. */
const FULL_WIDTH_KINDS: ReadonlySet<QuestionKind> = new Set([
  'single-choice-grid',
  'dropdown-grid',
  'text-response-grid',
  'net-promoter',
])

/** The pickers of browsers for dates cut off what does not fit. */
const minSpanOf = ({ kind, format = 'datetime' }: Question): number =>
  kind !== 'datetime' ? MIN_SPAN : format === 'datetime' ? 6 : 4

/** How many parts of a line a question takes where there is room, 12 being all of it. */
export function spanOf(question: Question): number {
  const { kind, width = 100 } = question
  if (FULL_WIDTH_KINDS.has(kind)) return GRID_COLUMNS
  return Math.min(GRID_COLUMNS, Math.max(minSpanOf(question), Math.round((width * GRID_COLUMNS) / 100)))
}

/** Whether some questions of a page stand beside each other. */
export const hasColumns = ({ questions }: Page): boolean =>
  questions.some((question) => spanOf(question) < GRID_COLUMNS)
