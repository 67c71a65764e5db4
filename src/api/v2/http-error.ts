import type { Problem } from '../../domain/problem.ts'
import { errorView, statusOf } from '../engine/http-error.ts'
import type { RequestInfo } from '../engine/operation.ts'
import type { Schemas } from './operation.ts'

/** The code of version 2 for missing and wrong credentials (docs/specification.md 4.2). */
const CODES: Readonly<Record<string, string>> = { unauthenticated: 'not_authorized' }

/**
 * Returns the message of a problem. If version 2 does not support an operation because the survey has several pages,
 * the message refers to version 3 of the API.
 */
const messageOf = ({ message, errors }: Problem): string =>
  errors.some(({ code }) => code === 'multiple_pages')
    ? `${message}. Use version 3 of the API for the responses of this survey.`
    : message

/**
 * Formats a problem as `code` and `description` (docs/specification.md 2.8), and adds `success` for paths under
 * `/accounts/`. For invalid answers, the status is 500 (docs/specification.md 7.8), and `description` contains pairs
 * of question ID and message.
 */
export function errorReply(problem: Problem, { path }: RequestInfo) {
  const isSurveyError = problem.kind === 'invalid_answers'
  const body: Schemas['Error'] = {
    ...(path.startsWith('/accounts/') && { success: false as const }),
    code: CODES[problem.code] ?? problem.code,
    description: isSurveyError ? problem.errors.map(({ field, message }) => [field, message]) : messageOf(problem),
    ...(!isSurveyError && problem.errors.length > 0 && { errors: problem.errors.map(errorView) }),
  }
  return { status: isSurveyError ? 500 : statusOf(problem), body, contentType: 'application/json; charset=utf-8' }
}
