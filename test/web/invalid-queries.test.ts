import { describe, expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'
import { analyst } from './survey-owner.ts'

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
    expect((await world.anonymous.get(path)).status).toBe(404)
  })
})

/** Beside each condition stands a link with all the others: 3,500 made a page of 100 MB. */
test('more conditions than anybody writes are refused, and the pages stay small', async () => {
  const { browser, id } = await analyst(world)
  const root = `/account/surveys/${id}/`
  const many = Array.from({ length: 1000 }, (_, n) => `_id>${n}`).join('&')
  for (const path of ['responses/', 'responses/download/', 'reports/all/']) {
    const { status, text } = await browser.get(`${root}${path}?${many}`)
    expect([path, status]).toEqual([path, 422])
    expect(text).toContain('at most 200')
  }
  const made = await browser.post(`${root}reports/new/`, { title: 'x', scope: 'all', query: many })
  expect(made.status).toBe(422)
  expect(made.text).toContain('must be at most 2000 characters.')
  expect(made.text).not.toContain(many)
})
