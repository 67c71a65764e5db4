import { describe, expect, it } from '@jest/globals'
import { useIdentityProvider } from '../../support/identity.ts'
import { useWorld } from '../../support/world.ts'
import { RespondentBrowser } from '../respondent-browser.ts'
import { surveyWithSignIn } from './survey.ts'

const world = useWorld({ blockPrivateTargets: true })
const identity = useIdentityProvider()

describe('an identity provider with a private address', () => {
  it('is never contacted, and its surveys return 503', async () => {
    const { path } = await surveyWithSignIn(world, identity)
    const reply = await new RespondentBrowser(world.base).open(path)
    expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('not set up correctly') })
    expect(identity.requests('/token')).toEqual([])
  })
})
