import { STATUS_CODES } from 'node:http'
import type { Problem } from '../../domain/problem.ts'
import { errorView, statusOf } from '../engine/http-error.ts'
import type { RequestInfo } from '../engine/operation.ts'
import type { Schemas } from './operation.ts'

/**
 * Formats a problem as RFC 9457. `type` is always `about:blank`, so `title` is the reason phrase of the HTTP status,
 * and `code` identifies the problem.
 */
export function errorReply(problem: Problem, { instance, requestId }: RequestInfo) {
  const status = statusOf(problem)
  const body: Schemas['Problem'] = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problem.message,
    instance,
    code: problem.code,
    ...(problem.errors.length > 0 && { errors: problem.errors.map(errorView) }),
    ...(status >= 500 && requestId && { request_id: requestId }),
  }
  return { status, body, contentType: 'application/problem+json; charset=utf-8' }
}
