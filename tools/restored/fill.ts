import { readFileSync } from 'node:fs'
import pg from 'pg'
import { HttpBrowser } from '../../test/support/http-browser.ts'
import { createObjects } from '../fuzz/seed.ts'
import { answersTo, everyKind, oneQuestion } from './every-kind.ts'

/** A running server and the credentials of its administrator. */
export interface FilledServer {
  base: string
  databaseUrl: string
  username: string
  password: string
}

/**
 * The IDs of the filled rows are higher than this number, because some tests assign lower IDs to the objects that they
 * create.
 */
const FIRST_ID = 1_000_000
const RESPONSES = 150
const CALLBACK = 'https://app.example/callback'

/**
 * Fills a new installation with objects of every kind. Uses the API, and uses the pages if the API has no operation for
 * an object.
 * @throws Error when the server rejects a request
 */
export async function fill(server: FilledServer): Promise<void> {
  await raiseIds(server.databaseUrl)
  const { username, password } = server
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const ids = await createObjects(server.base, server.databaseUrl, authorization)
  const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${server.base}/api${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${text}`)
    return JSON.parse(text)
  }

  const survey = await send('POST', '/v3/surveys/', { name: 'Every question type' }, { 'idempotency-key': 'fill' })
  const path = `/v3/surveys/${survey.id}`
  await send('PUT', `${path}/structure/`, everyKind)
  for (let n = 0; n < RESPONSES; n += 1) await send('POST', `${path}/responses/`, answersTo(n))
  const { id: deleted } = await send('POST', `${path}/responses/`, answersTo(RESPONSES))
  await send('DELETE', `${path}/responses/${deleted}/?reason=Test`, {})
  await send('PUT', `${path}/draft/`, { ...everyKind, title: { en: 'A draft' } })
  const logo = readFileSync(new URL('../../test/support/logo.png', import.meta.url))
  await send('PUT', `${path}/theme/`, {
    accent_color: '#8a3b12',
    logo: logo.toString('base64'),
    logo_text: 'Example',
    cover: logo.toString('base64'),
  })
  const image = await fetch(`${server.base}/api${path}/images/`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: logo,
  })
  if (!image.ok) throw new Error(`The image was not stored: ${await image.text()}`)
  await send('PUT', `${path}/notification/`, { frequency: 'daily' })
  await send('POST', `${path}/preview-links/`, { label: 'Ethics board', comments: true })
  await send('POST', `${path}/comments/`, { text: 'Is this too long?' })
  await send('POST', `${path}/review/`, { note: 'Please look at the draft.' })
  await send('PUT', `/v3/users/${(ids.user_id as number[])[0]}/theme/`, { font: 'serif' })
  await send('POST', '/v3/contacts/', { name: 'Zoë', email: 'zoe@example.org', city: 'Oslo', note: 'a\tb\\c' })
  await send('POST', `${path}/filters/`, { name: 'promoters', query: 'net_promoter>8' })
  const [group] = ids.group_id as number[]
  await send('PUT', `/v2/groups/${group}/members/`, { email: ids.member, roles: 'edit analyze' })
  await send('PUT', `${path}/groups/`, { group: String(group) })
  await signIn(server)
  await inviteColleague(server, survey.id)
  await addRows(server.databaseUrl, survey.id, ids.member)
  await publishReport(server, survey.id)
  const old = await send('POST', '/v3/surveys/', { name: 'In the trash' })
  await send('DELETE', `/v3/surveys/${old.id}/`, {})
  const page = new URL(survey.deploy_url).pathname
  // The email address is invalid, so the service shows the page again and stores the values as a draft.
  await submitPage(server.base, page, { text_response: 'from the page', email: 'no address' })

  const anonymous = await send('POST', '/v3/surveys/', { name: 'Anonymous' })
  await send('PUT', `/v3/surveys/${anonymous.id}/structure/`, oneQuestion)
  await send('PUT', `/v3/surveys/${anonymous.id}/settings/`, { anonymous: true })
  const { results } = await send('POST', `/v3/surveys/${anonymous.id}/invite_codes/`, { count: 20 })
  await submitPage(server.base, `${new URL(anonymous.deploy_url).pathname}?code=${results[0].code}`, { words: 'Fine' })
}

/** Submits the first page of a survey. */
async function submitPage(base: string, path: string, answers: Record<string, string>): Promise<void> {
  const respondent = new HttpBrowser(base)
  const { text } = await respondent.get(path)
  const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    value!,
  ])
  const reply = await respondent.post(path, { ...Object.fromEntries(hidden), ...answers, _go: 'next' })
  if (reply.status >= 400) throw new Error(`The page ${path} returned ${reply.status}.`)
}

/** Signs in, registers an application and authorizes it. */
async function signIn({ base, username, password }: FilledServer): Promise<void> {
  await new HttpBrowser(base).signIn('nobody', 'a wrong password')
  const browser = new HttpBrowser(base)
  await browser.signIn(username, password)
  const app = { name: 'Tea Counter', homepage: 'https://app.example/', callback: CALLBACK, description: '' }
  const { text } = await browser.post('/accounts/developer/', app)
  const [client_id = '', client_secret = ''] = ['client-id', 'client-secret'].map(
    (id) => new RegExp(`id="${id}">(\\w+)<`).exec(text)?.[1],
  )
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: CALLBACK })
  const path = `/accounts/developer/authorize/?${query}`
  await browser.get(path)
  const allowed = [['decision', 'allow'], ...['read', 'write'].map((scope) => ['scope', scope])] as [string, string][]
  const code = new URL((await browser.post(path, allowed)).to!).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id, client_secret }
  const tokens = await fetch(`${base}/accounts/oauth/token/`, { method: 'POST', body: new URLSearchParams(form) })
  if (!tokens.ok) throw new Error(`The token endpoint returned ${tokens.status}: ${await tokens.text()}`)
}

/** Invites a colleague to a survey. */
async function inviteColleague({ base, username, password }: FilledServer, survey: number): Promise<void> {
  const browser = new HttpBrowser(base)
  await browser.signIn(username, password)
  const share = `/account/surveys/${survey}/share/`
  await browser.get(share)
  const reply = await browser.post(`${share}invitations/`, { email: 'dora@example.net', roles: 'Edit' })
  if (reply.status >= 400) throw new Error(`The page ${share} returned ${reply.status}.`)
}

/** Opens a shared report as a guest, so that its counts are published. */
async function publishReport({ base, username, password }: FilledServer, survey: number): Promise<void> {
  const owner = new HttpBrowser(base)
  await owner.signIn(username, password)
  const reports = `/account/surveys/${survey}/reports/`
  await owner.get(reports)
  await owner.post(`${reports}sharing/`, { sharing_password: 'open sesame' })
  await owner.post(`${reports}new/`, { title: 'For guests', scope: 'all' })
  const link = /class="address" href="([^"]+)"/.exec((await owner.get(reports)).text)![1]!
  const guest = new HttpBrowser(base)
  await guest.post(new URL(link).pathname, { password: 'open sesame' })
  const { status } = await guest.get(new URL(link).pathname)
  if (status !== 200) throw new Error(`The shared report returned ${status}.`)
}

/** Adds what needs another person or an OpenID provider: a former address of a survey, an identity, a second factor. */
async function addRows(databaseUrl: string, survey: number, member: unknown): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`insert into survey_address values ('former', 'address', $1)`, [survey])
  await client.query(
    `insert into external_identity (issuer, subject, account_id, email, created_at, used_at)
     select 'https://login.example.org', 'subject', id, email, now(), now() from account where email = $1`,
    [member],
  )
  await client.query(
    `insert into second_factor select id, 'sealed', 1, array['code'::bytea], now() from account where email = $1`,
    [member],
  )
  await client.query(
    `insert into passkey (account_id, credential_id, public_key, user_handle, counter, transports, name, created_at)
     select id, 'credential', 'key', 'handle', 0, array['usb'], 'Key', now() from account where email = $1`,
    [member],
  )
  await client.query(`insert into used_token values ('digest', now() + interval '1 day')`)
  await client.query('insert into survey_comment_mute select $1, id from account where email = $2', [survey, member])
  await client.end()
}

async function raiseIds(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename), ${FIRST_ID}) from pg_sequences
     where schemaname = 'public' and sequencename like '%_id_seq' and sequencename <> 'migration_id_seq'`,
  )
  await client.end()
}
