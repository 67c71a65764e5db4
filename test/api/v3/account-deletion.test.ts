import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { HttpBrowser, signInAs } from '../../support/http-browser.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let accounts = 0
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

/** Creates an account with data of every kind. */
async function accountWithData() {
  accounts += 1
  // No other row contains this address.
  const ann = await world.person({ email: `leaving${accounts}@example.org` })
  const { survey, path } = await addSurvey(ann, onePage)
  await submitForm(world.anonymous, await world.anonymous.get(path), { first: 'Kept secret' })
  await ann.post('/api/v3/contacts/', { form: { name: 'Eve', email: 'eve@x.example' } })
  await ann.post('/api/v3/webhooks/', { form: { event: 'contact_create', subscription_url: 'http://127.0.0.1:9/' } })
  await ann.post('/api/v3/contacts/', { form: { name: 'Joe', email: 'joe@x.example' } })
  return { ann, survey, path, group: await makeGroup(ann) }
}
const storedDeliveries = () =>
  world.em().getKysely<Tables>().selectFrom('webhook_delivery').select('id').orderBy('id').execute()
const uriOf = ({ actor }: Person) => `/api/v3/users/${actor.id}/`

describe('deleteUser', () => {
  test('deletes everything that the account owns, returns a receipt, and keeps what other accounts own', async () => {
    const deliveriesBefore = await storedDeliveries()
    const { ann, survey, path, group } = await accountWithData()
    const bob = await world.person()
    const { survey: shared } = await addSurvey(bob, onePage)
    const team = await makeGroup(bob)
    await addMember(bob, team, ann, 'edit')
    await share(bob, shared.id, team)
    const version = { json: { ...onePage, title: 'By ann' } }
    expect((await ann.put(`/api/v3/surveys/${shared.id}/structure/`, version)).status).toBe(200)
    await addMember(ann, group, bob, 'analyze')
    await share(ann, survey.id, group)
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)
    await ann.delete(`/api/v3/surveys/${survey.id}/groups/?group=${group}`)

    expect(await ann.delete(uriOf(ann), { json: { password: 'wrong' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'password' }] },
    })
    expect(await ann.delete(uriOf(ann))).toMatchObject({ status: 400 })
    const { status, body } = await ann.delete(uriOf(ann), { json: { password: ann.password } })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        deleted_at: world.now.toISOString(),
        user_id: ann.actor.id,
        surveys: 1,
        responses: 1,
        contacts: 2,
        webhooks: 1,
        api_keys: 1,
        applications: 0,
        groups: 1,
      },
    })
    expect((await ann.get('/api/v3/surveys/')).status).toBe(401)
    expect((await world.anonymous.get(path)).status).toBe(404)
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(404)
    const versions = (await bob.get(`/api/v3/surveys/${shared.id}/versions/`)).body
    expect(versions.count).toBe(2)
    const { rows } = await world.application.services.pool.query(
      `select table_name from information_schema.columns where table_schema = 'public' and column_name in ('account_id', 'owner_id')`,
    )
    for (const { table_name: table } of rows) {
      const found = await world.application.services.pool.query(
        `select * from "${table}" t where to_jsonb(t)::text like $1`,
        [`%${ann.actor.email}%`],
      )
      expect({ table, rows: found.rows }).toEqual({ table, rows: [] })
    }
    expect(await storedDeliveries()).toEqual(deliveriesBefore)
  })

  test('deletes all responses, also those that arrive during the deletion', async () => {
    const { ann, survey } = await accountWithData()
    const answers = Array.from({ length: 40 }, () =>
      ann.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { first: 'x' } }),
    )
    const deleted = ann.delete(uriOf(ann), { json: { password: ann.password } })
    const late = Array.from({ length: 40 }, () =>
      ann.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { first: 'y' } }),
    )
    expect((await deleted).status).toBe(200)
    for (const { status } of await Promise.all([...answers, ...late])) expect([201, 401, 404]).toContain(status)
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  test('returns 404 for another account, also to developers', async () => {
    const [ann, developer] = [await world.person(), await world.person({ isDeveloper: true })]
    const reply = await developer.delete(uriOf(ann), { json: { password: ann.password } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
    expect((await developer.get(`${uriOf(ann)}export/`)).status).toBe(404)
  })
})

describe('the account deletion page', () => {
  test('asks for the password, deletes the account, shows a receipt and signs out', async () => {
    const { ann } = await accountWithData()
    const browser = await signInAs(ann)
    expect((await browser.get('/account/')).text).toContain('/account/delete/')
    const page = await browser.get('/account/delete/')
    expect(page.text).toContain('Export your data first')
    const rejected = await browser.post('/account/delete/', { password: 'wrong' })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('The password is incorrect.')
    const receipt = await browser.post('/account/delete/', { password: ann.password })
    expect(receipt.status).toBe(200)
    expect(receipt.text).toMatch(/Account deleted[\s\S]*<dt>Responses<\/dt><dd>1</)
    expect((await browser.get('/account/')).status).toBe(303)
    expect((await new HttpBrowser(world.base).signIn(ann.actor.username, ann.password)).status).toBe(401)
  })
})

describe('exportUser', () => {
  test('returns profile, contacts, surveys and responses without secrets, in a valid ZIP archive', async () => {
    const { ann, survey } = await accountWithData()
    await ann.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { password: 'open sesame' } })
    await ann.put(`/api/v3/surveys/${survey.id}/draft/`, { json: { title: 'Green tea', form: [] } })
    const reply = await fetch(new URL(`${uriOf(ann)}export/`, world.base), {
      headers: { authorization: ann.authorization! },
    })
    expect(reply.headers.get('content-type')).toBe('application/octet-stream')
    const folder = mkdtempSync(join(tmpdir(), 'canvass-archive-'))
    const file = join(folder, 'a.zip')
    writeFileSync(file, Buffer.from(await reply.arrayBuffer()))
    execFileSync('python3', ['-m', 'zipfile', '-e', file, folder])
    const read = (path: string) => readFileSync(join(folder, path), 'utf8')
    expect(JSON.parse(read('account.json'))).toMatchObject({ username: ann.actor.username, email: ann.actor.email })
    expect(read('contacts.csv')).toContain('Eve,eve@x.example')
    const surveyFolder = `surveys/${survey.id}-${survey.slug}`
    expect(read(`${surveyFolder}/responses.csv`)).toContain('Kept secret')
    const exported = JSON.parse(read(`${surveyFolder}/survey.json`))
    expect(exported).toMatchObject({ name: 'Tea', settings: { password: true }, structure: { title: { en: 'Tea' } } })
    expect(exported.draft.structure.title).toEqual({ en: 'Green tea' })
    expect(JSON.stringify(exported)).not.toContain('argon2')
    rmSync(folder, { recursive: true })
  })
})
