import { expect, it } from '@jest/globals'
import { useIdentityProvider } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { membersSurvey, Respondent } from './survey.ts'

const world = useWorld({ blockPrivateTargets: true })
const identity = useIdentityProvider()

it('an identity system that leads inside our network is never asked, and nobody gets in', async () => {
  const { path } = await membersSurvey(world, identity)
  const reply = await new Respondent(world.base).open(path)
  expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('is not responding') })
  expect(identity.requests('/token')).toEqual([])
})
