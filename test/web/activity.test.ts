import { describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

describe('the page of the activity of a survey', () => {
  const world = useWorld()

  test('shows by name who did what, filters, and exports', async () => {
    const [ann, bob] = [await world.person({ name: 'Ann' }), await world.person({ name: 'Bob Baker' })]
    const { survey } = await addSurvey(ann, onePage)
    const group = await makeGroup(ann, 'Kitchen')
    await addMember(ann, group, bob, 'edit publish')
    await share(ann, survey.id, group)
    await bob.put(`/api/v3/surveys/${survey.id}/structure/`, { json: { structure: { ...onePage, title: 'Chai' } } })
    await bob.put(`/api/v3/surveys/${survey.id}/`, { json: { live: 0 } })
    await bob.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { invite_only: true } })
    const owner = await signInAs(ann)
    const path = `/account/surveys/${survey.id}/activity/`
    expect((await owner.get(`/account/surveys/${survey.id}/share/`)).text).toContain(`href="${path}"`)
    const page = (await owner.get(path)).text
    const link = `<a href="/account/surveys/${survey.id}/">Tea</a>`
    for (const line of [
      `<strong>Version 2 of survey ${link} published</strong>`,
      `<strong>Survey ${link} closed</strong>`,
      `shared with group <a href="/account/groups/${group}/">Kitchen</a></strong>`,
      'Bob Baker, <time',
      'You, <time',
      `<option value="${bob.actor.id}">Bob Baker</option>`,
    ])
      expect(page).toContain(line)
    expect(page).toMatch(/Settings of survey [^<]*<a[^>]*>Tea<\/a> changed: (?!invite_only)/)
    const filtered = (await owner.get(`${path}?by=${bob.actor.id}&kind=survey_closed`)).text
    expect(filtered).toContain('closed</strong>')
    expect(filtered).not.toContain('published</strong>')
    expect(filtered).toContain(`${path}csv/?by=${bob.actor.id}&amp;kind=survey_closed`)
    const file = await owner.get(`${path}csv/?by=${bob.actor.id}&kind=survey_closed`)
    expect(file.text.trim().split('\r\n')).toHaveLength(2)
    for (const search of ['by=x', 'kind=%00', 'since=2026-99-99', 'since=abc', 'by=1e99'])
      expect([search, (await owner.get(`${path}?${search}`)).status]).toEqual([search, 200])
    expect((await owner.get(`${path}?cursor=x`)).status).toBe(422)
    expect((await owner.get(`${path}?kind=responses_erased`)).text).toContain('No entry matches the filter.')
    expect((await (await signInAs(bob)).get(path)).status).toBe(403)
  })

  test('leads to older entries', async () => {
    const ann = await world.person()
    const { survey } = await addSurvey(ann, onePage)
    for (let n = 0; n < 60; n += 1) await ann.put(`/api/v3/surveys/${survey.id}/`, { json: { live: n % 2 } })
    const owner = await signInAs(ann)
    const path = `/account/surveys/${survey.id}/activity/`
    const page = (await owner.get(path)).text
    const [, older] = /href="([^"]*cursor=[^"]*)">Older/.exec(page)!
    const next = (await owner.get(older!.replaceAll('&amp;', '&'))).text
    expect(next).toContain('created</strong>')
    expect(next).not.toContain('>Older</a>')
  })
})
