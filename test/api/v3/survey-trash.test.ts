import { describe, expect, test } from '@jest/globals'
import { TRASH_DAYS } from '../../../src/domain/survey/trash.ts'
import { tasks } from '../../../src/worker/tasks.ts'
import { shareWith } from '../../support/groups.ts'
import { HttpBrowser, signInAs } from '../../support/http-browser.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const TRASH = '/api/v3/deleted-surveys/'
const STRUCTURE = {
  title: 'Party',
  form: [{ children: [{ idname: 'text-response', id: 'q1', title: 'Why?' }] }],
}

/** Creates a survey with a response and a shared report. */
async function makeParty(owner: Person) {
  const id = await makeSurvey(owner, STRUCTURE)
  const uri = `/api/v3/surveys/${id}/`
  expect((await owner.post(`${uri}responses/`, { json: { q1: 'x' } })).status).toBe(201)
  const { body } = await owner.get(uri)
  return { id, uri, body, page: new URL(body.deploy_url).pathname, short: new URL(body.short_url).pathname }
}

const runPurge = () =>
  tasks['purge-expired-credentials']({ ...world.context(), em: world.em() }, {}, AbortSignal.timeout(60_000))

describe('listDeletedSurveys, restoreSurvey and eraseSurvey [spec 5.4]', () => {
  test('a deleted survey is found nowhere but in the trash of its owner', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const { id, uri, body, page, short } = await makeParty(ann)
    await shareWith(ann, id, bob, 'Analyze')
    const browser = await signInAs(ann)
    await browser.get(`/account/surveys/${id}/reports/`)
    await browser.post(`/account/surveys/${id}/reports/sharing/`, { sharing_password: 'open sesame' })
    await browser.post(`/account/surveys/${id}/reports/new/`, { title: 'R', scope: 'all' })
    const reports = (await browser.get(`/account/surveys/${id}/reports/`)).text
    const link = new URL(/<a class="address" href="([^"]*)"/.exec(reports)![1]!).pathname
    const collector = (await ann.get(`${uri}collectors/`)).body.results[0].collector_uri
    const guest = new HttpBrowser(world.base)
    expect((await guest.get(page)).status).toBe(200)
    expect((await guest.get(link)).status).toBe(200)

    expect(await ann.delete(uri)).toMatchObject({ status: 200, body: 'OK' })
    for (const path of [page, short, link, `/account/surveys/${id}/`])
      expect([path, (await guest.get(path)).status]).toEqual([path, path.startsWith('/account') ? 303 : 404])
    expect((await browser.get(`/account/surveys/${id}/`)).status).toBe(404)
    for (const person of [ann, bob]) {
      for (const path of [uri, `${uri}responses/`, `${uri}reports/`, `${uri}csv/`, `${uri}settings/`, collector])
        expect([path, (await person.get(path)).status]).toEqual([path, 404])
      expect((await person.post(`${uri}responses/`, { json: { q1: 'y' } })).status).toBe(404)
      expect((await person.delete(uri)).status).toBe(404)
      expect((await person.get('/api/v3/surveys/')).body.count).toBe(0)
      expect((await person.get('/api/v3/collectors/')).body.count).toBe(0)
    }
    expect((await bob.get(TRASH)).body.count).toBe(0)
    for (const send of [bob.post, bob.delete]) expect((await send(`${TRASH}${id}/`)).status).toBe(404)
    expect(await ann.get(TRASH)).toMatchObject({
      status: 200,
      body: { count: 1, results: [{ id, name: 'Party', slug: body.slug, number_of_responses: 1 }] },
    })
  })

  test('keeps its address, and is restored with everything', async () => {
    const [ann, bob] = [await world.person(), await world.person()]
    const { id, uri, body, page, short } = await makeParty(ann)
    await shareWith(ann, id, bob, 'View')
    await ann.delete(uri)
    const other = await makeSurvey(ann, STRUCTURE)
    expect((await ann.get(`/api/v3/surveys/${other}/`)).body.slug).not.toBe(body.slug)
    const { status, body: restored } = await ann.post(`${TRASH}${id}/`)
    expect(status).toBe(201)
    expect(restored).toEqual(body)
    const guest = new HttpBrowser(world.base)
    expect((await guest.get(page)).status).toBe(200)
    expect((await guest.get(short)).status).toBeLessThan(400)
    expect((await bob.get(`${uri}responses/`)).body.count).toBe(1)
    expect((await ann.post(`${uri}responses/`, { json: { q1: 'z' } })).status).toBe(201)
    expect((await ann.get(TRASH)).body.count).toBe(0)
    for (const send of [ann.post, ann.delete]) expect((await send(`${TRASH}${id}/`)).status).toBe(404)
  })

  test('is erased at once on request, and after 30 days otherwise', async () => {
    const ann = await world.person()
    const [now, later, kept] = [await makeParty(ann), await makeParty(ann), await makeParty(ann)]
    for (const { uri } of [now, later, kept]) await ann.delete(uri)
    expect(await ann.delete(`${TRASH}${now.id}/`)).toMatchObject({ status: 200, body: 'OK' })
    expect((await ann.get(TRASH)).body.count).toBe(2)
    const { pool } = world.application.services
    const rows = async (id: number) =>
      (await pool.query('select count(*)::integer as n from response where survey_id = $1', [id])).rows[0].n
    expect(await rows(now.id)).toBe(0)
    const start = world.now
    world.now = new Date(start.getTime() + (TRASH_DAYS * 24 - 1) * 3_600_000)
    await runPurge()
    expect(await rows(later.id)).toBe(1)
    expect((await ann.post(`${TRASH}${kept.id}/`)).status).toBe(201)
    world.now = new Date(start.getTime() + (TRASH_DAYS * 24 + 1) * 3_600_000)
    await runPurge()
    expect([await rows(later.id), await rows(kept.id)]).toEqual([0, 1])
    expect((await ann.get(TRASH)).body.count).toBe(0)
    world.now = start
  })

  test('a person who is erased, and an account that is deleted, are erased in the trash as well', async () => {
    const ann = await world.person()
    const { id, uri } = await makeParty(ann)
    const { pool } = world.application.services
    await pool.query(`update response set invite_email = 'eve@example.org', invite_name = 'Eve' where survey_id = $1`, [
      id,
    ])
    await ann.delete(uri)
    const contact = (await ann.post('/api/v3/contacts/', { json: { name: 'Eve', email: 'eve@example.org' } })).body
    expect((await ann.post(`/api/v3/contacts/${contact.id}/erase/`)).status).toBeLessThan(300)
    const { rows } = await pool.query('select invite_email, invite_name from response where survey_id = $1', [id])
    expect(rows).toEqual([{ invite_email: null, invite_name: null }])
    const user = (await ann.get('/api/v3/users/me/')).body
    const reply = await ann.send('DELETE', `/api/v3/users/${user.id}/`, { json: { password: ann.password } })
    expect(reply.status).toBe(200)
    const { rows: left } = await pool.query('select (select count(*) from response where survey_id = $1) as n', [id])
    expect(Number(left[0].n)).toBe(0)
  })
})
