import { describe, expect, it } from '@jest/globals'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

describe('submitting a page without a response key', () => {
  it('stores one response for repeated requests with the same Idempotency-Key', async () => {
    const { survey, path } = await addSurvey(await world.person(), { title: 'One', form: [pageOf(text('why'))] })
    const send = (key: string) =>
      world.anonymous.post(path, { form: { why: 'Because' }, headers: { 'idempotency-key': key } })
    const first = await send('one')
    expect(first.status).toBe(303)
    expect((await send('one')).headers.get('location')).toBe(first.headers.get('location'))
    expect(await storedResponses(world, survey.id)).toHaveLength(1)
    await send('two')
    expect(await storedResponses(world, survey.id)).toHaveLength(2)
  })
})
