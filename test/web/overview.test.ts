import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let browser: HttpBrowser

beforeAll(async () => {
  ann = await world.person()
  browser = await signInAs(ann)
})

/** Returns the text of the page without markup. */
const overviewOf = async (id: number, by = browser) =>
  (await by.get(`/account/surveys/${id}/`)).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

describe('the overview of a survey', () => {
  test('explains how to collect responses while there are none, and asks to reopen a closed survey', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    expect(await overviewOf(id)).toContain('No responses yet Copy the survey link into a message')
    await browser.post(`/account/surveys/${id}/live/`)
    expect(await overviewOf(id)).toContain('No responses yet Reopen the survey to collect responses.')
  })

  test('says until when and for whom the survey is open', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    const withSettings = async (json: object) => {
      await ann.put(`/api/v3/surveys/${id}/settings/`, { json })
      return overviewOf(id)
    }
    expect(await overviewOf(id)).toContain('Open: everyone with the link can answer.')
    expect(await withSettings({ invite_only: true })).toContain('Open for invited people.')
    const later = { open_at: '2026-02-01T08:00:00Z', close_at: '2026-03-01T08:00:00Z', max_responses: 1200 }
    expect(await withSettings(later)).toMatch(
      /Opens 1 Feb 2026, 08:00 UTC \. It closes after 1,200 complete responses\./,
    )
    expect(await withSettings({ open_at: null, max_responses: null })).toContain('Open until 1 Mar 2026, 08:00 UTC .')
    expect(await withSettings({ close_at: '2026-01-02T08:00:00Z' })).toContain('Closed since 2 Jan 2026')
  })

  test('shows the completion rate, the median time, the drop-off by page and the latest responses [spec 7.13]', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    for (const completionTime of [30, 90, 150]) await respond(world, id, { pagepath: '1,2', completionTime })
    await respond(world, id, { pagepath: '1', completed: 0 })
    const text = await overviewOf(id)
    expect(text).toContain('Responses 4 3 complete, 1 incomplete')
    expect(text).toContain('Completion rate 75%')
    expect(text).toContain('Median time 1 min 30 s')
    expect(text).toContain('2026-01-15 4')
    expect(text).toContain('Page 1 4 1 (25%)')
    expect(text).not.toContain('1. Page 1')
    expect(text).toContain('Page 2 3 0')
    expect(text).toContain('Response 4 Incomplete')
  })

  test('shows no statistics to a member who may not see responses', async () => {
    const id = await makeSurvey(ann, TWO_PAGES)
    await respond(world, id, { pagepath: '1,2' })
    const [group, bob] = [await makeGroup(ann, 'Editors'), await world.person()]
    await addMember(ann, group, bob, 'Edit')
    await share(ann, id, group)
    const text = await overviewOf(id, await signInAs(bob))
    expect(text).toContain('Details Responses 0')
    expect(text).not.toMatch(/Completion rate|Latest responses|No responses yet/)
  })
})
