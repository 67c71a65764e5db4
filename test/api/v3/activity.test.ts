import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { importResponses } from '../../../src/domain/response/import/import.ts'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { addSurvey, pageOf, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000
const onePage = { title: 'Tea', form: [pageOf(text('first'))] }

interface Entry {
  id: string
  at: string
  kind: string
  user: { id: number; name: string | null } | null
  survey: number | null
  details: Record<string, unknown>
}

describe('listSurveyActivity', () => {
  const world = useWorld()
  let ann: Person
  let bob: Person
  let survey: number
  let address: string
  const uri = () => `/api/v3/surveys/${survey}/`

  const verifyLog = (...args: string[]): Promise<[unknown, string]> =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, SECRET_KEY: world.secretKey, DATABASE_URL: world.databaseUrl }
      const cwd = path.resolve(import.meta.dirname, '../../..')
      execFile(process.execPath, ['src/main.mjs', 'verify-log', ...args], { cwd, env }, (error, stdout, stderr) =>
        resolve([error?.code ?? 0, stdout + stderr]),
      )
    })
  const read = async (search = '', person = ann): Promise<Entry[]> =>
    (await person.get(`${uri()}activity/?page_size=100${search}`)).body.results

  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    bob = await world.person({ name: 'Bob' })
    const added = await addSurvey(ann, onePage)
    survey = added.survey.id
    address = added.path
    const group = await makeGroup(ann)
    await addMember(ann, group, bob, 'edit publish analyze')
    await share(ann, survey, group)
  })

  test('says who edited, published, opened, closed, exported, shared and invited [spec 4.6]', async () => {
    await submitForm(world.anonymous, await world.anonymous.get(address), { first: 'Green' })
    const before = (await read()).length
    const draft = (title: string) => ({ json: { structure: { ...onePage, title } } })
    await bob.put(`${uri()}draft/`, draft('Chai'))
    await bob.put(`${uri()}draft/`, draft('Mint'))
    await bob.post(`${uri()}draft/publish/`)
    await bob.put(uri(), { json: { live: 0 } })
    await bob.put(`${uri()}settings/`, { json: { live: 1, closed_message: 'Later.' } })
    await bob.get(`${uri()}csv/`)
    await bob.get(`${uri()}csv/`)
    const invitation = { email: 'carl@example.net', roles: 'view' }
    await ann.post(`${uri()}team/invitations/`, { json: invitation })
    const entries = await read()
    const news = entries.slice(0, entries.length - before).reverse()
    expect(news.map(({ kind, user }) => [kind, user?.name])).toEqual([
      ['survey_edited', 'Bob'],
      ['survey_published', 'Bob'],
      ['survey_closed', 'Bob'],
      ['survey_opened', 'Bob'],
      ['settings_changed', 'Bob'],
      ['exported', 'Bob'],
      ['colleague_invited', 'Ann'],
    ])
    expect(news[1]).toMatchObject({ survey, details: { version: 2 }, at: world.now.toISOString() })
    expect(news[4]!.details).toEqual({ settings: ['closed_message'] })
    expect(JSON.stringify(entries)).not.toMatch(/carl@|Later|Green/)
  })

  test('says who edited, deleted, restored, erased and imported responses [spec 4.6]', async () => {
    const { id } = (await ann.post(`${uri()}responses/`, { json: { first: 'x' } })).body
    const before = (await read()).length
    for (const first of ['y', 'z']) await bob.put(`${uri()}responses/${id}/`, { json: { first } })
    await bob.delete(`${uri()}responses/${id}/`)
    await ann.post(`${uri()}responses/trash/${id}/`)
    await ann.delete(`${uri()}responses/${id}/`)
    await ann.delete(`${uri()}responses/trash/${id}/`)
    await importResponses({ ...world.context(), actor: ann.actor }, survey, 'first\nBlack\nWhite\n')
    const entries = await read()
    const news = entries.slice(0, entries.length - before).reverse()
    expect(news.map(({ kind, user, details }) => [kind, user?.name, details])).toEqual([
      ['responses_corrected', 'Bob', {}],
      ['responses_deleted', 'Bob', { count: 1 }],
      ['responses_restored', 'Ann', { response: id }],
      ['responses_deleted', 'Ann', { count: 1 }],
      ['responses_erased', 'Ann', { count: 1 }],
      ['responses_imported', 'Ann', { count: 2 }],
    ])
  })

  test('writes nothing when respondents submit, and nothing when an act fails [spec 4.6]', async () => {
    const before = await read()
    await submitForm(world.anonymous, await world.anonymous.get(address), { first: 'Green' })
    expect((await bob.put(uri(), { json: { name: ' ' } })).status).toBe(400)
    expect((await bob.delete(`${uri()}responses/999999/`)).status).toBe(404)
    expect((await bob.delete(uri())).status).toBe(403)
    expect(await read()).toEqual(before)
  })

  test('filters by person, kind and day, and pages by cursor without gaps [spec 4.6]', async () => {
    const all = await read()
    const ofBob = await read(`&user=${bob.actor.id}`)
    expect(ofBob).toEqual(all.filter(({ user }) => user?.id === bob.actor.id))
    expect(ofBob.length).toBeGreaterThan(3)
    expect(await read('&kind=exported')).toEqual(all.filter(({ kind }) => kind === 'exported'))
    const day = world.now.toISOString().slice(0, 10)
    expect(await read(`&first_day=${day}&last_day=${day}`)).toEqual(all)
    expect(await read('&last_day=2025-12-31')).toEqual([])
    expect(await read('&first_day=2026-12-31')).toEqual([])
    const paged: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await ann.get(`${uri()}activity/?page_size=3${cursor && `&cursor=${cursor}`}`)
      paged.push(...body.results)
      cursor = body.next_cursor
    }
    expect(paged).toEqual(all)
    for (const [search, field, code] of [
      ['cursor=abc', 'cursor', 'invalid_cursor'],
      ['first_day=2026-02-30', 'first_day', 'invalid_date'],
      ['kind=tea', 'kind', 'invalid_value'],
    ])
      expect((await ann.get(`${uri()}activity/?${search}`)).body.errors).toMatchObject([{ field, code }])
  })

  test('exportSurveyActivity returns the same entries as CSV [spec 4.6]', async () => {
    const { text: csv, headers } = await ann.get(`${uri()}activity/csv/?user=${bob.actor.id}`)
    expect(headers.get('content-disposition')).toContain(`activity-${survey}.csv`)
    const lines = csv.trim().split('\r\n')
    expect(lines[0]).toBe('at,kind,user_id,user,survey_id,survey,details')
    expect(lines).toHaveLength((await read(`&user=${bob.actor.id}`)).length + 1)
    expect(csv).toContain(`,survey_published,${bob.actor.id},Bob,${survey},Tea,"{""version"":2}"`)
  })

  test('listActivity and exportActivity add what happened to the account, and no other account reads it [spec 4.6]', async () => {
    const { results } = (await ann.get('/api/v3/activity/?page_size=100')).body as { results: Entry[] }
    const kinds = new Set(results.map(({ kind }) => kind))
    for (const kind of ['api_key_created', 'survey_published', 'roles_changed']) expect(kinds).toContain(kind)
    expect((await ann.get('/api/v3/activity/csv/')).text.trim().split('\r\n')).toHaveLength(results.length + 1)
    const { results: ofBob } = (await bob.get('/api/v3/activity/?page_size=100')).body as { results: Entry[] }
    expect(ofBob.map(({ kind }) => kind)).not.toContain('survey_published')
    expect((await bob.get(`${uri()}activity/`)).status).toBe(403)
    expect((await bob.get(`${uri()}activity/csv/`)).status).toBe(403)
    expect((await (await world.person()).get(`${uri()}activity/`)).status).toBe(404)
  })

  test('stays with the survey after a hand-over, and shows a deleted account by its number [spec 4.6]', async () => {
    const before = await read()
    const json = { surveys: survey, email: bob.actor.email }
    const { url } = (await ann.post('/api/v3/hand-overs/', { json })).body
    const key = new URL(url).searchParams.get('key')
    await bob.post('/api/v3/colleague-invitations/accept/', { json: { key } })
    const [first, ...rest] = await read('', bob)
    expect(first).toMatchObject({
      kind: 'survey_handed_over',
      user: { name: 'Bob' },
      details: { from: ann.actor.id, to: bob.actor.id },
    })
    expect(rest).toEqual(before)
    await ann.delete(`/api/v3/users/${ann.actor.id}/`, { json: { password: ann.password } })
    const [, , ...kept] = (await read('', bob)).filter(({ user }) => user?.id === ann.actor.id)
    expect(kept.length).toBeGreaterThan(0)
    for (const { user } of kept) expect(user).toEqual({ id: ann.actor.id, name: null })
  })

  test('is a chain that verify-log checks, also after the survey is deleted [spec 4.6]', async () => {
    const [code, heads] = await verifyLog()
    expect([code, heads]).toEqual([0, expect.stringMatching(new RegExp(`survey ${survey}: \\d+ entries, head `))])
    const file = path.join(world.dataDir, 'activity-heads.txt')
    await writeFile(file, heads)
    expect((await bob.delete(uri())).status).toBe(200)
    expect((await verifyLog(file))[0]).toBe(0)
    const { results } = (await bob.get('/api/v3/activity/?kind=survey_deleted')).body
    expect(results).toMatchObject([{ survey, user: { name: 'Bob' }, details: { name: 'Tea' } }])
  })

  test('is deleted after SECURITY_LOG_DAYS [spec 4.6]', async () => {
    const { survey: other } = await addSurvey(bob, onePage)
    world.now = new Date(world.now.getTime() + 366 * DAY_MS)
    await world.application.boss.send('purge-expired-credentials', {})
    await world.runJobs()
    expect((await bob.get(`/api/v3/surveys/${other.id}/activity/`)).body.results).toEqual([])
    expect((await verifyLog())[0]).toBe(0)
  })
})
