import { isAnswered } from '../../../structure/answered.ts'
import { isAutomatic } from '../../../structure/kinds.ts'
import type { Answers, Question, Questionnaire } from '../../../structure/questionnaire.ts'
import { evaluationOf } from '../../../structure/visibility.ts'

/** What a response says about the pages that its respondent saw. */
export interface Progress {
  answers: Answers
  completed: number
  /** The pages that the respondent completed, separated by commas; empty for a response of a program. */
  pagepath: string
}

/**
 * Returns the questions that a respondent was asked: those with an answer, and those on the path on a page that the
 * respondent completed. If no page is recorded, a complete response went the whole path, and any other went as far as its
 * last answer.
 * @param questions the questions to look at
 */
export function askedQuestions(
  q: Questionnaire,
  questions: readonly Question[],
  { answers, completed, pagepath }: Progress,
): ReadonlySet<Question> {
  const isAnsweredQuestion = ({ fields }: Question) => fields.some(({ key }) => isAnswered(answers, key))
  const seen = pagepath === '' ? undefined : new Set(pagepath.split(',').map(Number))
  const lastPage = completed === 1 || seen ? q.pages.length : lastAnsweredPage(q, isAnsweredQuestion)
  const evaluation = evaluationOf(q, answers)
  const visible = new Map<number, ReadonlySet<Question>>()
  const isVisible = (question: Question): boolean => {
    const { page } = question
    if (seen ? !seen.has(page) : page > lastPage) return false
    const shown = visible.get(page) ?? new Set(evaluation.visibleQuestions(page))
    visible.set(page, shown)
    return shown.has(question)
  }
  return new Set(questions.filter((question) => isAnsweredQuestion(question) || isVisible(question)))
}

/** Returns the number of the last page with an answer of the respondent; 0 without any. */
const lastAnsweredPage = (q: Questionnaire, isAnsweredQuestion: (question: Question) => boolean): number =>
  q.questions.findLast((question) => !isAutomatic(question.kind) && isAnsweredQuestion(question))?.page ?? 0
