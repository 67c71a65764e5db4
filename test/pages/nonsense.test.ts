import { describe, expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'
import { analyst } from './respondents.ts'

const world = useWorld()

/** Addresses that no page of ours leads to: somebody tries, or a link was cut in two. */
describe('an address that makes no sense is never an error of ours', () => {
  test.each([
    '/account/surveys/?tag=%00',
    '/account/surveys/?search=%00',
    '/account/contacts/?search=%00',
    '/account/surveys/ID/responses/?view-language=%00',
    '/account/surveys/ID/reports/all/texts/name/?view-words=%00',
    '/account/surveys/ID/reports/all/texts/name/?view-before=1e300',
    '/account/surveys/ID/reports/all/texts/name/?view-before=1.5',
  ])('%s', async (path) => {
    const { browser, id } = await analyst(world)
    expect((await browser.get(path.replace('ID', String(id)))).status).toBe(200)
  })

  test.each(['/surveys/%ff/x', '/surveys/ann/%ff', '/accounts/developer/%ff'])('%s is not found', async (path) => {
    expect((await world.nobody.get(path)).status).toBe(404)
  })
})
