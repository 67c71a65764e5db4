import { describe, expect, test } from '@jest/globals'
import type { NewResponse } from '../../../src/domain/response/submit/new-response.ts'
import { makeSurvey } from '../../support/responses.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const ONE_QUESTION = {
  title: 'Lunch',
  form: [
    {
      type: 'page',
      children: [{ idname: 'text-response', id: 'what', title: 'What?', children: [{ type: 'string' }] }],
    },
  ],
}

describe('SubmissionBatcher.submit', () => {
  test('continues to store responses after the client that submitted one response has disconnected', async () => {
    const person = await world.person()
    const survey = await makeSurvey(person, ONE_QUESTION)
    const { submissionBatcher } = world.application.services
    await expect(submissionBatcher.submit({} as NewResponse, () => true)).rejects.toMatchObject({ code: 'unavailable' })
    const send = () =>
      person.post(`/api/v3/surveys/${survey}/responses/`, { json: { what: 'soup' }, headers: { connection: 'close' } })
    const stored = await Promise.race([send(), new Promise((resolve) => setTimeout(resolve, 20_000, 'waits').unref())])
    expect(stored).toMatchObject({ status: 201 })
  })
})
