import { expect, it } from '@jest/globals'
import { useIdentity } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const world = useWorld({ guarded: true })
const identity = useIdentity()

it('an identity system that leads inside our network is never asked, and nobody gets in', async () => {
  const { path } = await membersSurvey(world, identity)
  const reply = await new Respondent(world.base).open(path)
  expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('does not answer') })
  expect(identity.asked('/token')).toEqual([])
})
