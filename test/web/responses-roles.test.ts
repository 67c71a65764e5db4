import { describe, expect, test } from '@jest/globals'
import { ROLES } from '../../src/domain/group/role.ts'
import { Visitor } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { analyst, ten } from './survey-owner.ts'

const world = useWorld()

describe('the pages about responses', () => {
  const pages = (one: number) => ['', 'new/', 'filters/', 'download/', 'csv/', 'import/', `${one}/`, `${one}/delete/`]
  const writes = (one: number) =>
    [
      ['filters/?_completed=1', { name: 'x' }],
      ['filters/rename/', { name: 'x', next: 'y' }],
      ['filters/delete/', { name: 'y' }],
      ['import/', { file: 'name,_completed\nBo,0\n' }],
      [`${one}/status/`, { completed: '2' }],
      ['delete/', { id: String(one + 1), sure: 'yes' }],
      [`${one}/delete/`, {}],
    ] as const

  test.each(ROLES)('open for the role %s only if it is Analyze', async (role) => {
    const { person, id, top } = await analyst(world)
    const [one] = await ten(world, id)
    const member = await world.person()
    const { id: group } = (await person.post('/api/v2/groups/', { json: { name: 'Team' } })).body
    const email = member.actor.email
    await person.put(`/api/v2/groups/${group}/members/`, { json: { email, roles: role } })
    await person.put(`/api/v3/surveys/${id}/groups/`, { json: { group } })
    const browser = new Visitor(world.base)
    await browser.signIn(member.actor.username, member.password)
    const may = role === 'Analyze'
    for (const page of pages(one!)) {
      const { status } = await browser.get(top + page)
      expect([page, status]).toEqual([page, may ? 200 : 403])
    }
    for (const [page, fields] of writes(one!)) {
      const { status } = await browser.post(top + page, { ...fields })
      expect([page, status]).toEqual([page, may ? 303 : 403])
    }
    const overview = await browser.get(`/account/surveys/${id}/`)
    expect(overview.text.includes(`<a href="${top}"`)).toBe(may)
  })

  test('return 404 to a stranger, and redirect a visitor without a session to sign in', async () => {
    const { id, top } = await analyst(world)
    const [one] = await ten(world, id)
    const { browser } = await analyst(world)
    for (const page of pages(one!)) expect([page, (await browser.get(top + page)).status]).toEqual([page, 404])
    for (const [page, fields] of writes(one!))
      expect([page, (await browser.post(top + page, { ...fields })).status]).toEqual([page, 404])
    const nobody = new Visitor(world.base)
    expect((await nobody.get(`${top}?bread=1`)).to).toBe(
      `/accounts/login/?next=${encodeURIComponent(`${top}?bread=1`)}`,
    )
  })

  test('return 404 for a response of another survey, and 403 for a form without its CSRF token', async () => {
    const { browser, id, top, person } = await analyst(world)
    const [one] = await ten(world, id)
    const other = (await person.post('/api/v3/surveys/', { json: { name: 'Other' } })).body.id
    expect((await browser.get(`/account/surveys/${other}/responses/${one}/`)).status).toBe(404)
    for (const [page, fields] of writes(one!))
      expect((await browser.post(top + page, { ...fields, _csrf: 'guessed' })).status).toBe(403)
    expect((await browser.get(`${top}${one}/`)).status).toBe(200)
  })
})
