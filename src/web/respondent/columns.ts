import type { Page, Question, QuestionKind } from '../../domain/structure/questionnaire.ts'

/** A line is this many parts wide (`question.css`). */
const PARTS = 12
/** Nothing can be read or typed in less than a quarter of the page. */
const NARROWEST = 3

/** Tables and scales need the whole line whatever their author says. */
const broad: ReadonlySet<QuestionKind> = new Set([
  'single-choice-grid',
  'dropdown-grid',
  'text-response-grid',
  'net-promoter',
])

/** The pickers of browsers for dates cut off what does not fit. */
const narrowest = ({ kind, format = 'datetime' }: Question): number =>
  kind !== 'datetime' ? NARROWEST : format === 'datetime' ? 6 : 4

/** How many parts of a line a question takes where there is room, 12 being all of it. */
export function spanOf(question: Question): number {
  const { kind, width = 100 } = question
  if (broad.has(kind)) return PARTS
  return Math.min(PARTS, Math.max(narrowest(question), Math.round((width * PARTS) / 100)))
}

/** Whether some questions of a page stand beside each other. */
export const inColumns = ({ questions }: Page): boolean => questions.some((question) => spanOf(question) < PARTS)
