import { describe, expect, it } from '@jest/globals'
import { errorReply } from '../../../src/api/v2/http-error.ts'
import { problems } from '../../../src/domain/problem.ts'
import { ANSWER_REQUIRED } from '../../../src/domain/structure/answer-error.ts'

const info = { instance: '/api/v2/surveys/7/', path: '/surveys/7/', requestId: 'r1', operationId: 'getSurvey' }
const answers = problems.invalidAnswers([{ field: 'q1', ...ANSWER_REQUIRED }])

describe('an error of v2', () => {
  it('has a code and a description [spec 2.8]', () => {
    expect(errorReply(problems.surveyNotFound(), info)).toEqual({
      status: 404,
      contentType: 'application/json; charset=utf-8',
      body: { code: 'survey_not_found', description: 'There is no such survey.' },
    })
  })
  it('has the property success for paths under /accounts/ [spec 2.8]', () => {
    const { body } = errorReply(problems.unauthenticated(), { ...info, path: '/accounts/generate-login-url/' })
    expect(body).toMatchObject({ success: false, code: 'not_authorized' })
  })
  it('has status 500, code survey_error and pairs of question and message for invalid answers', () => {
    expect(errorReply(answers, info)).toMatchObject({
      status: 500,
      body: { code: 'survey_error', description: [['q1', 'An answer to this question is required.']] },
    })
  })
})
