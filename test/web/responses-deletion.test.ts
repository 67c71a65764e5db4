import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { counts } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, signInOwner } from './survey-owner.ts'

const world = useWorld()
const JANUARY_2_TO_4 = { created_from: '2026-01-02T12:00', created_to: '2026-01-04T12:00' }
const queryOf = (values: object) => `?${new URLSearchParams({ ...values })}`

describe('the page “Delete responses”', () => {
  test('shows the number of responses that match, and deletes them after the confirmation', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    expect((await browser.get(root)).text).toContain(`href="${root}deletion/"`)
    expect((await browser.get(`${root}deletion/`)).text).toContain('name="network"')
    const values = { ...JANUARY_2_TO_4, network: '203.0.113.0/24' }
    const confirmation = await browser.get(`${root}deletion/${queryOf(values)}`)
    expect(confirmation.text).toContain('Delete 3 responses?')
    expect(confirmation.text).toContain('<input type="hidden" name="expected" value="3">')
    expect((await counts(world, id)).rows).toBe(10)
    const reply = await browser.post(`${root}deletion/`, { ...values, expected: '3' })
    expect([reply.status, reply.to]).toEqual([303, root])
    expect((await browser.get(root)).text).toContain('3 responses deleted.')
    expect(await counts(world, id)).toEqual({ rows: 7, feed: 7, collectors: 7 })
  })

  test('deletes nothing without a CSRF token, without a number, or if the number has changed', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const values = { ...JANUARY_2_TO_4, network: '' }
    expect((await browser.post(`${root}deletion/`, { ...values, expected: '3', _csrf: 'invalid' })).status).toBe(403)
    for (const expected of ['', '2', '10']) {
      const { status, text } = await browser.post(`${root}deletion/`, { ...values, expected })
      expect(status).toBe(422)
      expect(text).toContain('The number of matching responses is now 3. Nothing was deleted.')
    }
    expect((await counts(world, id)).rows).toBe(10)
  })

  test('shows an error for each invalid field, and a message if no condition is given or no response matches', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const pageFor = (values: object) => browser.get(`${root}deletion/${queryOf(values)}`)
    const invalid = await pageFor({ created_from: 'x', created_to: '2026-02-30', network: '"><script>' })
    expect(invalid.status).toBe(422)
    for (const name of ['created_from', 'created_to', 'network']) expect(invalid.text).toContain(`id="${name}-error"`)
    expect(invalid.text).not.toContain('"><script>')
    const blank = await pageFor({ created_from: '', created_to: '', network: ' ' })
    expect([blank.status, blank.text.includes('id="created_from-error"')]).toEqual([422, true])
    const none = await pageFor({ network: '192.0.2.1' })
    expect([none.status, none.text.includes('No responses match.')]).toEqual([422, true])
  })

  test('offers no network for an anonymous survey', async () => {
    const { browser, person, id, root } = await signInOwner(world)
    await person.put(`/api/v3/surveys/${id}/settings/`, { json: { anonymous: true } })
    await respond(world, id, { createdAt: '2026-01-02T12:00:00Z' })
    const { text } = await browser.get(`${root}deletion/`)
    expect(text).toContain('stores no IP addresses')
    expect(text).not.toContain('name="network"')
    expect((await browser.get(`${root}deletion/${queryOf(JANUARY_2_TO_4)}`)).text).toContain('Delete 1 response?')
  })
})
