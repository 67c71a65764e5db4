import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { Visitor } from '../../support/http-browser.ts'
import { pageOf, responsesTo, sendForm, surveyOf, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

/** Somebody with one of everything, and what is theirs. */
async function rich() {
  const ann = await world.person()
  const { survey, path } = await surveyOf(world, ann, onePage)
  await sendForm(world.anonymous, await world.anonymous.get(path), { first: 'Kept secret' })
  await ann.post('/api/v3/contacts/', { form: { name: 'Eve', email: 'eve@x.example' } })
  await ann.post('/api/v3/webhooks/', { form: { event: 'contact_create', subscription_url: 'http://127.0.0.1:9/' } })
  await ann.post('/api/v3/contacts/', { form: { name: 'Joe', email: 'joe@x.example' } })
  const { body: group } = await ann.post('/api/v2/groups/', { form: { name: 'Team' } })
  return { ann, survey, path, group: group.id as number }
}
const own = ({ actor }: Person) => `/api/v3/users/${actor.id}/`

describe('deleteUser', () => {
  test('deletes everything of the account, returns a receipt and keeps what other accounts own', async () => {
    const { ann, survey, path, group } = await rich()
    const bob = await world.person()
    const { survey: shared } = await surveyOf(world, bob, onePage)
    const { body: team } = await bob.post('/api/v2/groups/', { form: { name: 'Others' } })
    await bob.put(`/api/v2/groups/${team.id}/members/`, { form: { email: ann.actor.email, roles: 'edit' } })
    await bob.put(`/api/v2/surveys/${shared.id}/groups/`, { form: { group: team.id } })
    const version = { json: { ...onePage, title: 'By ann' } }
    expect((await ann.put(`/api/v3/surveys/${shared.id}/structure/`, version)).status).toBe(200)
    await ann.put(`/api/v2/groups/${group}/members/`, { form: { email: bob.actor.email, roles: 'analyze' } })
    await ann.put(`/api/v2/surveys/${survey.id}/groups/`, { form: { group } })
    expect((await bob.get(`/api/v3/surveys/${survey.id}/`)).status).toBe(200)

    expect(await ann.delete(own(ann), { json: { password: 'wrong' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'password' }] },
    })
    expect(await ann.delete(own(ann))).toMatchObject({ status: 400 })
    const { status, body } = await ann.delete(own(ann), { json: { password: ann.password } })
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
    expect(await responsesTo(world, survey.id)).toEqual([])
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
    const db = world.em().getKysely<Tables>()
    expect(await db.selectFrom('webhook_delivery').selectAll().execute()).toEqual([])
  })

  test('leaves no response behind when responses arrive during the deletion', async () => {
    const { ann, survey } = await rich()
    const answers = Array.from({ length: 40 }, () =>
      ann.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { first: 'x' } }),
    )
    const deleted = ann.delete(own(ann), { json: { password: ann.password } })
    const late = Array.from({ length: 40 }, () =>
      ann.post(`/api/v3/surveys/${survey.id}/responses/`, { json: { first: 'y' } }),
    )
    expect((await deleted).status).toBe(200)
    for (const { status } of await Promise.all([...answers, ...late])) expect([201, 401, 404]).toContain(status)
    expect(await responsesTo(world, survey.id)).toEqual([])
  })

  test('returns 404 for another account, also to developers', async () => {
    const [ann, developer] = [await world.person(), await world.person({ isDeveloper: true })]
    const reply = await developer.delete(own(ann), { json: { password: ann.password } })
    expect(reply).toMatchObject({ status: 404, body: { code: 'user_not_found' } })
    expect((await developer.get(`${own(ann)}export/`)).status).toBe(404)
  })
})

describe('the account deletion page', () => {
  test('asks for the password, deletes the account, shows a receipt and signs out', async () => {
    const { ann } = await rich()
    const browser = new Visitor(world.base)
    await browser.signIn(ann.actor.username, ann.password)
    expect((await browser.get('/account/')).text).toContain('/account/delete/')
    const question = await browser.get('/account/delete/')
    expect(question.text).toContain('Export your data first')
    const refused = await browser.post('/account/delete/', { password: 'wrong' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('current password')
    const done = await browser.post('/account/delete/', { password: ann.password })
    expect(done.status).toBe(200)
    expect(done.text).toMatch(/Account deleted[\s\S]*<dt>Responses<\/dt><dd>1</)
    expect((await browser.get('/account/')).status).toBe(303)
    expect((await new Visitor(world.base).signIn(ann.actor.username, ann.password)).status).toBe(401)
  })
})

describe('exportUser', () => {
  test('returns profile, contacts, surveys and responses without secrets, in an archive that unzip reads', async () => {
    const { ann, survey } = await rich()
    await ann.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { password: 'open sesame' } })
    const reply = await fetch(new URL(`${own(ann)}export/`, world.base), {
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
    const one = `surveys/${survey.id}-${survey.slug}`
    expect(read(`${one}/responses.csv`)).toContain('Kept secret')
    const written = JSON.parse(read(`${one}/survey.json`))
    expect(written).toMatchObject({ name: 'Tea', settings: { password: true }, structure: { title: { en: 'Tea' } } })
    expect(JSON.stringify(written)).not.toContain('argon2')
    rmSync(folder, { recursive: true })
  })
})
