import { describe, expect, it } from '@jest/globals'
import { httpErrors } from '../../../src/api/engine/http-error.ts'
import { errorReply } from '../../../src/api/v3/http-error.ts'
import { problems } from '../../../src/domain/problem.ts'
import { ANSWER_REQUIRED } from '../../../src/domain/structure/answer-error.ts'

const info = { instance: '/api/v3/surveys/7/', path: '/surveys/7/', requestId: 'r1', operationId: 'getSurvey' }
const answers = problems.invalidAnswers([{ field: 'q1', ...ANSWER_REQUIRED }])

describe('an error of v3', () => {
  it('is problem+json (RFC 9457) [spec 2.8]', () => {
    expect(errorReply(problems.surveyNotFound(), info)).toEqual({
      status: 404,
      contentType: 'application/problem+json; charset=utf-8',
      body: {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'There is no such survey.',
        instance: '/api/v3/surveys/7/',
        code: 'survey_not_found',
      },
    })
  })
  it('lists the invalid fields', () => {
    const { status, body } = errorReply(problems.invalidField('live', 'too_large', { max: 1 }), info)
    expect([status, body.code, body.errors]).toEqual([
      400,
      'invalid_request',
      [{ field: 'live', code: 'too_large', message: 'must be at most 1', params: { max: 1 } }],
    ])
  })
  it('has status 400 for invalid answers', () => expect(errorReply(answers, info).status).toBe(400))
  it('has the request ID for an internal error', () => {
    expect(errorReply(httpErrors.serverError('r1'), info).body).toMatchObject({ status: 500, request_id: 'r1' })
  })
})
