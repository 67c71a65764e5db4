import { describe, expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()

describe('a page with an invalid query parameter or path', () => {
  test.each([
    '/account/surveys/?tag=%00',
    '/account/surveys/?search=%00',
    '/account/contacts/?search=%00',
    '/account/surveys/ID/responses/?view-language=%00',
    '/account/surveys/ID/reports/all/texts/name/?view-words=%00',
    '/account/surveys/ID/reports/all/texts/name/?view-before=1e300',
    '/account/surveys/ID/reports/all/texts/name/?view-before=1.5',
  ])('ignores the parameter: %s', async (path) => {
    const { browser, id } = await signInOwner(world)
    expect((await browser.get(path.replace('ID', String(id)))).status).toBe(200)
  })

  test.each(['/surveys/%ff/x', '/surveys/ann/%ff', '/accounts/developer/%ff'])(
    'returns 404 for the path %s',
    async (path) => {
      expect((await world.anonymous.get(path)).status).toBe(404)
    },
  )
})

// Each condition has a link that removes it and contains all other conditions, so the page would grow with the square
// of the number of conditions.
describe('a filter with more than 100 conditions', () => {
  test('is rejected by the pages of responses and reports', async () => {
    const { browser, id } = await signInOwner(world)
    const root = `/account/surveys/${id}/`
    const query = Array.from({ length: 1000 }, (_, n) => `_id>${n}`).join('&')
    for (const path of ['responses/', 'responses/download/', 'reports/all/']) {
      const { status, text } = await browser.get(`${root}${path}?${query}`)
      expect([path, status]).toEqual([path, 422])
      expect(text).toContain('exceeds the maximum of 100 different filters')
      const equal = Array.from({ length: 1000 }, () => '_id>1').join('&')
      expect((await browser.get(`${root}${path}?${equal}`)).status).toBe(200)
    }
    const reply = await browser.post(`${root}reports/new/`, { title: 'x', scope: 'all', query })
    expect(reply.status).toBe(422)
    expect(reply.text).toContain('must be at most 2000 characters.')
    expect(reply.text).not.toContain(query)
  })
})
