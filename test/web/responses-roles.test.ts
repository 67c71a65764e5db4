import { describe, expect, test } from '@jest/globals'
import { ROLES } from '../../src/domain/group/group.ts'
import { shareWith } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, signInOwner } from './survey-owner.ts'

const world = useWorld()

describe('the responses pages', () => {
  const pages = (id: number) => [
    '',
    'new/',
    'filters/',
    'download/',
    'export/',
    'import/',
    'deletion/',
    `${id}/`,
    `${id}/delete/`,
  ]
  const forms = (id: number) =>
    [
      ['filters/?_completed=1', { name: 'x' }],
      ['filters/rename/', { name: 'x', next: 'y' }],
      ['filters/delete/', { name: 'y' }],
      ['import/', { file: Buffer.from('name,_completed\nBo,0\n').toString('base64') }],
      [`${id}/status/`, { completed: '2' }],
      ['delete/', { id: String(id + 1), sure: 'yes' }],
      ['deletion/', { created_to: '2025-12-31', network: '', expected: '0' }],
      [`${id}/delete/`, {}],
    ] as const

  test.each(ROLES)('return 403 unless the role of the member is Analyze: %s', async (role) => {
    const { person, id, root } = await signInOwner(world)
    const [responseId] = await addTenResponses(world, id)
    const member = await world.person()
    await shareWith(person, id, member, role)
    const browser = await signInAs(member)
    const isAllowed = role === 'Analyze'
    for (const page of pages(responseId!)) {
      const { status } = await browser.get(root + page)
      expect([page, status]).toEqual([page, isAllowed ? 200 : 403])
    }
    for (const [page, fields] of forms(responseId!)) {
      const { status } = await browser.post(root + page, { ...fields })
      expect([page, status]).toEqual([page, isAllowed ? 303 : 403])
    }
    const overview = await browser.get(`/account/surveys/${id}/`)
    expect(overview.text.includes(`<a href="${root}"`)).toBe(isAllowed)
  })

  test('return 404 without a role on the survey, and redirect to the sign-in page without a session', async () => {
    const { id, root } = await signInOwner(world)
    const [responseId] = await addTenResponses(world, id)
    const { browser } = await signInOwner(world)
    for (const page of pages(responseId!)) expect([page, (await browser.get(root + page)).status]).toEqual([page, 404])
    for (const [page, fields] of forms(responseId!))
      expect([page, (await browser.post(root + page, { ...fields })).status]).toEqual([page, 404])
    expect((await new HttpBrowser(world.base).get(`${root}?bread=1`)).to).toBe(
      `/accounts/login/?next=${encodeURIComponent(`${root}?bread=1`)}`,
    )
  })

  test('return 404 for a response of another survey, and 403 for a form without its CSRF token', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    const [responseId] = await addTenResponses(world, id)
    const other = await makeSurvey(person, { title: 'Other' })
    expect((await browser.get(`/account/surveys/${other}/responses/${responseId}/`)).status).toBe(404)
    for (const [page, fields] of forms(responseId!))
      expect((await browser.post(root + page, { ...fields, _csrf: 'invalid' })).status).toBe(403)
    expect((await browser.get(`${root}${responseId}/`)).status).toBe(200)
  })

  test('let a member who may only view responses change, export and delete nothing', async () => {
    const { person, id, root } = await signInOwner(world)
    const [responseId] = await addTenResponses(world, id)
    const member = await world.person()
    await shareWith(person, id, member, 'View')
    const browser = await signInAs(member)
    const list = await browser.get(root)
    expect(list.status).toBe(200)
    for (const label of ['>Delete', 'Import', 'Download', 'Delete selected']) expect(list.text).not.toContain(label)
    const shown = (await browser.get(`${root}${responseId}/`)).text
    for (const label of ['Update status', 'Delete response', '>Edit<']) expect(shown).not.toContain(label)
    expect((await browser.get(`${root}export/`)).status).toBe(403)
    for (const [path, form] of forms(responseId!))
      expect([path, (await browser.post(root + path, { ...form })).status]).toEqual([path, 403])
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.count).toBe(10)
    const reports = (await browser.get(`/account/surveys/${id}/reports/`)).text
    expect(reports).toContain('All answers')
    for (const label of ['New report', 'Share reports']) expect(reports).not.toContain(label)
  })

  test('are closed to a member who may only view reports', async () => {
    const { person, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const member = await world.person()
    await shareWith(person, id, member, 'Report')
    const browser = await signInAs(member)
    expect((await browser.get(root)).status).toBe(403)
    expect((await browser.get(`/account/surveys/${id}/reports/all/`)).status).toBe(200)
    const overview = (await browser.get(`/account/surveys/${id}/`)).text
    expect(overview).toContain('Completion rate')
    expect(overview).not.toContain('Latest responses')
  })
})
