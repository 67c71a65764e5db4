import { beforeAll, describe, expect, test } from '@jest/globals'
import { createRespondentSession } from '../../src/domain/identity/session.ts'
import { tasks } from '../../src/worker/tasks.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { codeFor, type RegisteredApp, refresh, registerApp, statusWithToken, tokensFor } from '../support/oauth.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld({ settings: { RATE_LIMIT: 'on' } })
const DAY = 86_400_000
const advance = (milliseconds: number) => {
  world.now = new Date(world.now.getTime() + milliseconds)
}
async function purge(): Promise<void> {
  await world.application.boss.send('purge-expired-credentials', {})
  expect((await world.runJobs()).map(({ name }) => name)).toContain('purge-expired-credentials')
}

const TABLES = [
  'session',
  'account_link',
  'sign_in_failure',
  'api_key',
  'oauth_grant',
  'oauth_token',
  'respondent_session',
]
async function counts(): Promise<Record<string, number>> {
  const columns = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`)
  const { rows } = await world.application.services.pool.query(`select ${columns.join(', ')}`)
  return rows[0]
}

let ann: Person
let app: RegisteredApp
let collectorId: number
beforeAll(async () => {
  ann = await world.person()
  app = await registerApp(world, { owner: ann })
  const survey = await makeSurvey(ann)
  const { rows } = await world.application.services.pool.query('select id from collector where survey_id = $1', [
    survey,
  ])
  collectorId = rows[0].id
})

/** Creates a row in each table that the task purges. */
async function createCredentials(): Promise<{ browser: HttpBrowser; tokens: Awaited<ReturnType<typeof tokensFor>> }> {
  const browser = await signInAs(ann)
  await new HttpBrowser(world.base).post('/accounts/password/', { username: ann.actor.username })
  await world.runJobs()
  await browser.post('/account/keys/', { name: 'temporary' })
  const [key] = /\/account\/keys\/\d+\/revoke\//.exec((await browser.get('/account/keys/')).text)!
  await browser.post(key)
  await codeFor(app, ann)
  const first = await tokensFor(world, app, ann)
  const tokens = (await refresh(world, app, first.refresh_token)).body
  const provider = { collectorId, endpoint: 'https://id.example' }
  await createRespondentSession(world.context(), provider, { access: 'a' }, { attempt: 0, stateEchoed: true })
  await new HttpBrowser(world.base).signIn(ann.actor.username, 'wrong')
  return { browser, tokens }
}

describe('purge-expired-credentials', () => {
  test('deletes all expired credentials, so that the tables do not grow', async () => {
    const before = await counts()
    const after: Record<string, number>[] = []
    for (let round = 0; round < 3; round += 1) {
      await createCredentials()
      const created = await counts()
      for (const table of TABLES) expect([table, created[table]! > before[table]!]).toEqual([table, true])
      advance(200 * DAY)
      await purge()
      after.push(await counts())
    }
    // The API keys of the test accounts are not revoked.
    const empty = Object.fromEntries(TABLES.map((table) => [table, 0]))
    for (const remaining of after) expect(remaining).toEqual({ ...empty, api_key: before.api_key })
  })

  test('keeps credentials in use, and keeps a used refresh token so that its second use revokes the grant', async () => {
    const { browser, tokens } = await createCredentials()
    for (let days = 0; days < 60; days += 10) {
      advance(10 * DAY)
      await purge()
      expect((await browser.get('/account/')).status).toBe(200)
    }
    expect(await statusWithToken(world, tokens.access_token)).toBe(401)
    const { body: renewed } = await refresh(world, app, tokens.refresh_token)
    await purge()
    expect(await statusWithToken(world, renewed.access_token)).toBe(200)
    advance(100 * DAY)
    await purge()
    expect((await refresh(world, app, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(world, app, renewed.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('keeps a revoked API key that has no name', async () => {
    const bob = await world.person()
    const browser = await signInAs(bob)
    const [key] = /\/account\/keys\/\d+\/revoke\//.exec((await browser.get('/account/keys/')).text)!
    await browser.post(key)
    const { api_key } = await counts()
    advance(200 * DAY)
    await purge()
    expect((await counts()).api_key).toBe(api_key)
  })
})

describe('purge-expired-credentials with 10,000 valid grants and sessions', () => {
  test('reads the tables of grants, tokens and sessions by index', async () => {
    const { pool } = world.application.services
    const far = new Date(world.now.getTime() + 100 * DAY)
    await pool.query(
      `with grants as (
         insert into oauth_grant (account_id, application_id, scopes, code_hash, code_expires_at, created_at, ends_at)
         select $1, $2, '{read}', sha256(n::text::bytea), $3, $3, $3 from generate_series(1, 10000) n returning id)
       insert into oauth_token (hash, grant_id, kind, scopes, expires_at)
       select sha256(id::text::bytea || kind::bytea), id, kind, '{read}', $3 from grants, unnest('{access,refresh}'::text[]) kind`,
      [ann.actor.id, app.id, far],
    )
    await pool.query(
      `insert into session (hash, account_id, agent, ip_address, created_at, seen_at)
       select sha256(n::text::bytea), $1, '', '', $2, $2 from generate_series(1, 10000) n`,
      [ann.actor.id, far],
    )
    await pool.query('analyze')
    await createCredentials()
    advance(95 * DAY)
    await world.em().transactional(async (em) => {
      const read = () =>
        em.execute(
          "select relname, seq_scan::int from pg_stat_xact_user_tables where relname in ('oauth_grant', 'oauth_token', 'session')",
        )
      const before = await read()
      await tasks['purge-expired-credentials']({ ...world.context(), em }, {}, AbortSignal.timeout(60_000))
      expect(await read()).toEqual(before)
    })
    expect(await counts()).toMatchObject({ session: 10_000, oauth_token: 20_002 })
  })
})
