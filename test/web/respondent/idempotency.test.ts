import { beforeAll, describe, expect, it } from '@jest/globals'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324'

describe('submitting a page without a response key', () => {
  let surveyId: number
  let address: string
  beforeAll(async () => {
    const { survey, path } = await addSurvey(await world.person(), { title: 'One', form: [pageOf(text('why'))] })
    surveyId = survey.id
    address = path
  })
  /** Sends the page and returns the address of the response. */
  const send = async (key: string, why = 'Because') => {
    const reply = await world.anonymous.post(address, { form: { why }, headers: { 'idempotency-key': key } })
    expect(reply.status).toBe(303)
    return reply.headers.get('location')
  }

  it('stores one response for repeated requests with the same Idempotency-Key', async () => {
    const first = await send(UUID)
    expect(await send(UUID)).toBe(first)
    expect(await storedResponses(world, surveyId)).toHaveLength(1)
    expect(await send('0b1b5d0e-7f5e-4b0c-9a53-3a0f2f6c1d2e')).not.toBe(first)
  })

  it('stores a separate response for other answers with the same Idempotency-Key, and ignores a short key', async () => {
    expect(await send('1')).not.toBe(await send('1'))
    expect(await send(UUID, 'Another answer')).not.toBe(await send(UUID))
  })
})
