import { expect, it } from '@jest/globals'
import { pageOf, responsesTo, surveyOf, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

it('stores one response for a form without a key that is sent again with the same Idempotency-Key', async () => {
  const { survey, path } = await surveyOf(world, await world.person(), { title: 'One', form: [pageOf(text('why'))] })
  const send = (key: string) =>
    world.anonymous.post(path, { form: { why: 'Because' }, headers: { 'idempotency-key': key } })
  const first = await send('one')
  expect(first.status).toBe(303)
  expect((await send('one')).headers.get('location')).toBe(first.headers.get('location'))
  expect(await responsesTo(world, survey.id)).toHaveLength(1)
  await send('two')
  expect(await responsesTo(world, survey.id)).toHaveLength(2)
})
