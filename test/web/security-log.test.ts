import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { removeMember } from '../../src/domain/group/commands.ts'
import { surveyChain } from '../../src/domain/security/chain.ts'
import type { Tables } from '../../src/domain/tables.ts'
import { addMember, makeGroup } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { codeFor, registerApp } from '../support/oauth.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({
  settings: { RATE_LIMIT: 'on', SIGN_IN_FAILURES_PER_MINUTE: '0', API_FAILURES_PER_MINUTE: '0' },
})
const projectRoot = path.resolve(import.meta.dirname, '../..')

/** Returns the entries of an account, or of the installation (0), oldest first. */
const entriesOf = (id: number) =>
  world
    .em()
    .getKysely<Tables>()
    .selectFrom('security_event')
    .selectAll()
    .where('account_id', '=', id)
    .orderBy('seq')
    .execute()
const kindsOf = async (id: number) => (await entriesOf(id)).map(({ kind }) => kind)

/** Runs `verify-log`. @returns its exit code and what it printed */
const verifyLog = (...args: string[]): Promise<[unknown, string]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: world.secretKey, DATABASE_URL: world.databaseUrl }
    execFile(
      process.execPath,
      ['src/main.mjs', 'verify-log', ...args],
      { cwd: projectRoot, env },
      (error, stdout, stderr) => resolve([error?.code ?? 0, stdout + stderr]),
    )
  })

describe('the security log', () => {
  test('lists the events of an account to its owner, in order and without secrets', async () => {
    const ann = await world.person()
    const bob = await world.person()
    await new HttpBrowser(world.base).signIn(ann.actor.username, 'a wrong password')
    const browser = await signInAs(ann)
    await browser.get('/account/keys/')
    await browser.post('/account/keys/', { name: 'temporary' })
    const [revoke] = /\/account\/keys\/\d+\/revoke\//.exec((await browser.get('/account/keys/')).text)!
    await browser.post(revoke)
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'edit analyze')
    await ann.act((context) => removeMember(context, group, bob.actor.email))
    const survey = await makeSurvey(ann)
    await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { password: 'open sesame', invite_only: true } })
    await ann.put(`/api/v3/surveys/${survey}/settings/`, { json: { password: null, invite_only: false } })
    for (const path of [
      `surveys/${survey}/csv/`,
      // The second export within an hour adds no entry.
      `surveys/${survey}/csv/`,
      'contacts/csv/',
      `users/${ann.actor.id}/export/`,
    ])
      expect((await ann.get(`/api/v3/${path}`)).status).toBe(200)
    const flood = await makeSurvey(ann)
    await ann.post(`/api/v3/surveys/${flood}/responses/`, { form: { _completed: '0' } })
    for (const expected of [0, 1])
      await ann.post(`/api/v3/surveys/${flood}/responses/deletion/`, { json: { created_from: '2000-01-01', expected } })
    const { body: eve } = await ann.post('/api/v3/contacts/', { form: { name: 'Eve', email: 'eve@x.example' } })
    await ann.post(`${eve.contact_uri}erase/`)
    await browser.get('/account/')
    await browser.post('/account/password/', { current: ann.password, password: 'another secret word' })

    expect(await kindsOf(ann.actor.id)).toEqual([
      'api_key_created',
      'sign_in_failed',
      'signed_in',
      'api_key_created',
      'api_key_revoked',
      'roles_changed',
      'roles_changed',
      'exported',
      'exported',
      'contact_erased',
      'password_changed',
    ])
    expect(await kindsOf(surveyChain(survey))).toEqual([
      'survey_created',
      'settings_changed',
      'settings_changed',
      'survey_weakened',
      'exported',
    ])
    expect(await kindsOf(surveyChain(flood))).toEqual(['survey_created', 'responses_deleted'])
    expect(await kindsOf(bob.actor.id)).toEqual(['api_key_created', 'roles_changed', 'roles_changed'])
    const serialized = JSON.stringify(await entriesOf(ann.actor.id))
    expect(serialized).not.toMatch(/secret|sesame|wrong password|eve|example\.org|127\.0\.0\.1/i)
    expect(serialized).toContain('127.0.0.0/24')
    const page = await browser.get('/account/security/')
    for (const text of [
      'Sign-in failed: wrong password',
      'Password changed',
      'from 127.0.0.0/24',
      'password removed and invitations no longer required',
      '1 response of survey',
    ])
      expect(page.text).toContain(text)
    expect((await browser.get('/account/')).text).toContain('/account/security/')
    expect((await (await signInAs(bob)).get('/account/security/')).text).not.toContain('<strong>Password changed')
  })

  test('contains the authorization of an application', async () => {
    const ann = await world.person()
    const app = await registerApp(world)
    await codeFor(app, ann)
    expect(await kindsOf(ann.actor.id)).toContain('application_authorized')
  })

  test('records at most ten failed sign-ins and one lockout when passwords are guessed', async () => {
    const ann = await world.person()
    for (let n = 0; n < 15; n += 1) await world.anonymous.with(ann.actor.username, `wrong ${n}`).get('/api/v3/')
    const kinds = await kindsOf(ann.actor.id)
    expect(kinds.filter((kind) => kind === 'sign_in_failed')).toHaveLength(10)
    expect(kinds.filter((kind) => kind === 'locked_out')).toHaveLength(1)
  })

  test('records every exported survey, however many they are, and each once an hour', async () => {
    const ann = await world.person()
    const surveys: number[] = []
    for (let n = 0; n < 55; n += 1) {
      const { csv_uri, id } = (await ann.post('/api/v3/surveys/', { json: { name: 'Tea' } })).body
      surveys.push(id)
      for (let times = 0; times < (n < 3 ? 2 : 1); times += 1) expect((await ann.get(csv_uri)).status).toBe(200)
    }
    for (const id of surveys) expect(await kindsOf(surveyChain(id))).toEqual(['survey_created', 'exported'])
  })

  test('numbers the entries of concurrent sign-ins without gaps, and does not record submitted responses', async () => {
    const ann = await world.person()
    const survey = await makeSurvey(ann)
    await Promise.all(Array.from({ length: 8 }, () => signInAs(ann)))
    await Promise.all(Array.from({ length: 8 }, () => ann.post(`/api/v3/surveys/${survey}/responses/`, { json: {} })))
    const entries = await entriesOf(ann.actor.id)
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 9 }, (_, at) => at + 1))
    expect((await verifyLog())[0]).toBe(0)
  })

  test('deletes entries older than a year and keeps the chain intact', async () => {
    const ann = await world.person()
    const year = 366 * 86_400_000
    world.now = new Date(world.now.getTime() + year)
    await signInAs(ann)
    await world.application.boss.send('purge-expired-credentials', {})
    await world.runJobs()
    expect(await kindsOf(ann.actor.id)).toEqual(['signed_in'])
    expect((await verifyLog())[0]).toBe(0)
  })
})

describe('verify-log', () => {
  let ann: Person
  let headsFile: string
  const db = () => world.em().getKysely<Tables>()
  beforeAll(async () => {
    ann = await world.person()
    for (let n = 0; n < 3; n += 1) await signInAs(ann)
  })

  test('confirms an intact log and prints the head of each chain', async () => {
    const [code, printed] = await verifyLog()
    expect(code).toBe(0)
    expect(printed).toMatch(new RegExp(`account ${ann.actor.id}: 4 entries, head [0-9a-f]{64}\n`))
    expect(printed).toContain('The security log is intact.')
    headsFile = path.join(world.dataDir, 'heads.txt')
    await writeFile(headsFile, printed)
    expect((await verifyLog(headsFile))[0]).toBe(0)
  })

  test.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'a changed entry',
      'entry 2 was changed',
      () =>
        db()
          .updateTable('security_event')
          .set({ network: '203.0.113.0/24' })
          .where('account_id', '=', ann.actor.id)
          .where('seq', '=', 2)
          .execute(),
      () =>
        db()
          .updateTable('security_event')
          .set({ network: '127.0.0.0/24' })
          .where('account_id', '=', ann.actor.id)
          .where('seq', '=', 2)
          .execute(),
    ],
    [
      'a changed start of the chain',
      'were removed, but not by Canvass',
      () => db().updateTable('security_chain').set({ base_seq: 1 }).where('account_id', '=', ann.actor.id).execute(),
      () => db().updateTable('security_chain').set({ base_seq: 0 }).where('account_id', '=', ann.actor.id).execute(),
    ],
  ])('finds %s', async (_, message, damage, repair) => {
    await damage()
    const [code, printed] = await verifyLog()
    await repair()
    expect(code).toBe(1)
    expect(printed).toContain(`account ${ann.actor.id}: `)
    expect(printed).toContain(message)
    expect((await verifyLog())[0]).toBe(0)
  })

  test('detects that the last entry was deleted; if the chain was changed too, this requires an earlier output', async () => {
    const [, , third, last] = await entriesOf(ann.actor.id)
    await db().deleteFrom('security_event').where('account_id', '=', ann.actor.id).where('seq', '=', 4).execute()
    expect(await verifyLog()).toEqual([1, expect.stringContaining('entries after 3 are missing')])
    await db()
      .updateTable('security_chain')
      .set({ seq: 3, hash: third!.hash })
      .where('account_id', '=', ann.actor.id)
      .execute()
    expect((await verifyLog())[0]).toBe(0)
    expect(await verifyLog(headsFile)).toEqual([
      1,
      expect.stringContaining('entry 4 is missing, but existed at the earlier verification'),
    ])
    await db()
      .insertInto('security_event')
      .values({ ...last!, at: new Date(last!.at) })
      .execute()
    await db()
      .updateTable('security_chain')
      .set({ seq: 4, hash: last!.hash })
      .where('account_id', '=', ann.actor.id)
      .execute()
    expect((await verifyLog(headsFile))[0]).toBe(0)
  })

  test('accepts that a deleted account has no log, because the log of the installation contains the deletion', async () => {
    await ann.delete(`/api/v3/users/${ann.actor.id}/`, { json: { password: ann.password } })
    expect(await entriesOf(ann.actor.id)).toEqual([])
    const [receipt] = (await entriesOf(0)).slice(-1)
    expect(receipt).toMatchObject({ kind: 'account_deleted' })
    expect(JSON.parse(receipt!.details)).toMatchObject({ account: ann.actor.id, surveys: 0 })
    expect((await verifyLog(headsFile))[0]).toBe(0)
  })
})
