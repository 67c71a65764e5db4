import { describe, expect, it } from '@jest/globals'
import { httpErrors } from '../../../src/api/engine/http-error.ts'
import { errorReply as refuseV2 } from '../../../src/api/v2/http-error.ts'
import { errorReply as refuseV3 } from '../../../src/api/v3/http-error.ts'
import { problems } from '../../../src/domain/problem.ts'
import { ANSWER_REQUIRED } from '../../../src/domain/structure/answer-error.ts'

const facts = { instance: '/api/v3/surveys/7/', path: '/surveys/7/', requestId: 'r1', operationId: 'getSurvey' }
const answers = problems.invalidAnswers([{ field: 'q1', ...ANSWER_REQUIRED }])

describe('v3', () => {
  it('is problem+json (RFC 9457)', () => {
    expect(refuseV3(problems.surveyNotFound(), facts)).toEqual({
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
  it('names the wrong fields', () => {
    const { status, body } = refuseV3(problems.invalidField('live', 'too_large', { max: 1 }), facts)
    expect([status, body.code, body.errors]).toEqual([
      400,
      'invalid_request',
      [{ field: 'live', code: 'too_large', message: 'must be at most 1', params: { max: 1 } }],
    ])
  })
  it('answers 400 to answers that do not fit', () => expect(refuseV3(answers, facts).status).toBe(400))
  it('gives the request id with a fault of ours', () => {
    expect(refuseV3(httpErrors.serverError('r1'), facts).body).toMatchObject({ status: 500, request_id: 'r1' })
  })
})

describe('v2', () => {
  it('is a code and a description', () => {
    expect(refuseV2(problems.surveyNotFound(), facts)).toEqual({
      status: 404,
      contentType: 'application/json; charset=utf-8',
      body: { code: 'survey_not_found', description: 'There is no such survey.' },
    })
  })
  it('adds success under accounts', () => {
    const { body } = refuseV2(problems.unauthenticated(), { ...facts, path: '/accounts/generate-login-url/' })
    expect(body).toMatchObject({ success: false, code: 'not_authorized' })
  })
  it('answers 500 survey_error with pairs to answers that do not fit', () => {
    expect(refuseV2(answers, facts)).toMatchObject({
      status: 500,
      body: { code: 'survey_error', description: [['q1', 'An answer to this question is required.']] },
    })
  })
})
