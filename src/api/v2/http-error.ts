import type { Problem } from '../../domain/problem.ts'
import { refusedFor, statusOf } from '../engine/http-error.ts'
import type { Facts } from '../engine/mount.ts'
import type { Schemas } from './operation.ts'

/**
 * `code` and `description` (specification, "Errors"); under `/accounts/` also `success`. Answers that do not fit a
 * survey are its one specified 500: pairs of question id and message.
 */
export function refuse(problem: Problem, { path }: Facts) {
  const answers = problem.kind === 'answers'
  const body: Schemas['Error'] = {
    ...(path.startsWith('/accounts/') && { success: false as const }),
    code: problem.code,
    description: answers ? problem.errors.map(({ field, message }) => [field, message]) : problem.message,
    ...(!answers && refusedFor(problem)),
  }
  return { status: answers ? 500 : statusOf(problem), body, contentType: 'application/json; charset=utf-8' }
}
