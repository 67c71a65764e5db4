import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { run } from '../../scripts/run.ts'
import { registerApp, tokensFor } from '../support/oauth.ts'
import { signInOn, useChromium } from '../support/use-chromium.ts'
import { type Person, useWorld, type World } from '../support/world.ts'
import { built } from './scenario.ts'

/** A site of another origin. Its page has the built client package as the global variable `canvassClient`. */
let site: Server
let siteUrl: string
let client: Buffer | Uint8Array
beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'canvass-browser-'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  const install = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
  await run('npm', install, folder)
  const { outputFiles } = await build({
    stdin: { contents: "export * from 'canvass-client'", resolveDir: folder },
    bundle: true,
    format: 'iife',
    globalName: 'canvassClient',
    write: false,
  })
  client = outputFiles[0]!.contents
  await rm(folder, { recursive: true })
  site = createServer((request, response) => {
    const isScript = request.url === '/client.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? client : '<!doctype html><script src="/client.js"></script>')
  })
  await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve))
  siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`
}, 60_000)
afterAll(async () => {
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

const corsOrigins = (value: () => string) => ({
  get CORS_ORIGINS() {
    return value()
  },
  RATE_LIMIT: 'on',
})
const closed = useWorld()
const open = useWorld({ settings: corsOrigins(() => `https://app.example, ${siteUrl}`) })
const anyOrigin = useWorld({ settings: corsOrigins(() => '*') })
const chromium = useChromium()

async function openSite(): Promise<Page> {
  const page = await chromium.newPage()
  await page.goto(siteUrl)
  return page
}

type Operation<Result> = (options: object) => Promise<Result>
/** The parts of the client package that the page uses. */
declare const canvassClient: {
  Canvass: new (
    options: object,
  ) => {
    v3: {
      createSurvey: Operation<{ id: number }>
      getSurvey: Operation<{ name: string }>
      deleteSurvey: Operation<unknown>
      listSurveys(): Promise<{ count: number }>
    }
  }
}

const credentialsOf = ({ base }: World, { actor, password }: Person) => ({
  baseUrl: base,
  username: actor.username,
  password,
  retries: 0,
})

describe('a page of an origin in CORS_ORIGINS', () => {
  test('calls the API through the TypeScript client', async () => {
    const ann = await open.person()
    const page = await openSite()
    const name = await page.evaluate(
      async (options) => {
        const { v3 } = new canvassClient.Canvass(options)
        const { id } = await v3.createSurvey({ body: { name: 'Lunch' } })
        const survey = await v3.getSurvey({ path: { survey_id: id } })
        await v3.deleteSurvey({ path: { survey_id: id } })
        return survey.name
      },
      credentialsOf(open, ann),
    )
    expect(name).toBe('Lunch')
  })

  test('reads the headers and the errors that the contract declares', async () => {
    const ann = await open.person()
    const page = await openSite()
    const replies = await page.evaluate(
      async ([base, authorization]) => {
        const read = async (path: string, headers: Record<string, string>) => {
          const { status, headers: received } = await fetch(base + path, { headers })
          const names = ['x-request-id', 'etag', 'ratelimit', 'ratelimit-policy', 'link', 'www-authenticate']
          return { status, missing: names.filter((name) => !received.has(name)) }
        }
        return [
          await read('/api/v3/surveys/?page=2&page_size=1', { authorization: authorization! }),
          await read('/api/v2/me', {}),
        ]
      },
      [open.base, ann.authorization!] as const,
    )
    expect(replies).toEqual([
      { status: 200, missing: ['www-authenticate'] },
      { status: 401, missing: ['etag', 'link'] },
    ])
  })

  test('exchanges and revokes tokens', async () => {
    const app = await registerApp(open)
    const { refresh_token: refreshToken } = await tokensFor(open, app, await open.person())
    const page = await openSite()
    const statuses = await page.evaluate(
      async ([base, id, secret, token]) => {
        const post = async (path: string, form: Record<string, string>) => {
          const body = new URLSearchParams({ client_id: id!, client_secret: secret!, ...form })
          return fetch(`${base}/accounts/oauth/${path}/`, { method: 'POST', body })
        }
        const refreshed = await post('token', { grant_type: 'refresh_token', refresh_token: token! })
        const revoked = await post('revoke', {
          token: ((await refreshed.json()) as { refresh_token: string }).refresh_token,
        })
        return [refreshed.status, revoked.status]
      },
      [open.base, app.clientId, app.secret, refreshToken] as const,
    )
    expect(statuses).toEqual([200, 200])
  })

  test('cannot use the session of a signed-in user or read pages, but reads the OpenAPI documents', async () => {
    const ann = await open.person()
    const page = await openSite()
    await page.goto(`${open.base}/account/`)
    await signInOn(page, ann)
    await page.waitForURL(`${open.base}/account/**`)
    await page.goto(siteUrl)
    const outcomes = await page.evaluate(async (base) => {
      const outcome = (path: string, init?: RequestInit) =>
        fetch(base + path, init).then(
          ({ status }) => status,
          () => 'blocked',
        )
      return [
        await outcome('/api/v3/'),
        await outcome('/api/v3/', { credentials: 'include' }),
        await outcome('/account/'),
        await outcome('/accounts/login/'),
        await outcome('/openapi/v3.json'),
      ]
    }, open.base)
    expect(outcomes).toEqual([401, 'blocked', 'blocked', 'blocked', 200])
  })
})

describe('a page of another origin', () => {
  const list = async (world: World) => {
    const page = await openSite()
    return page.evaluate(
      (options) =>
        new canvassClient.Canvass(options).v3.listSurveys().then(
          ({ count }) => `${count} surveys`,
          ({ name }) => name,
        ),
      credentialsOf(world, await world.person()),
    )
  }

  test('is blocked without CORS_ORIGINS, and allowed with CORS_ORIGINS=*', async () => {
    expect(await list(closed)).toBe('APIConnectionError')
    expect(await list(anyOrigin)).toBe('0 surveys')
  })

  test('gets no preflight reply from a server that does not list its origin', async () => {
    const preflight = (world: World, origin: string) =>
      fetch(`${world.base}/api/v3/surveys/`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'if-match' },
      })
    for (const [world, origin] of [
      [closed, siteUrl],
      [open, 'https://evil.example'],
    ] as const) {
      const refused = await preflight(world, origin)
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([405, null])
    }
    const allowed = await preflight(open, siteUrl)
    expect(allowed.status).toBe(204)
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': siteUrl,
      'access-control-allow-methods': 'GET,HEAD,PUT,POST,DELETE,PATCH',
      'access-control-allow-headers': 'if-match',
      vary: expect.stringContaining('Origin'),
    })
    expect(allowed.headers.has('ratelimit')).toBe(false)
    const reply = await fetch(`${open.base}/api/v3/`, { headers: { origin: siteUrl } })
    const exposed = reply.headers.get('access-control-expose-headers')!.split(',')
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Link', 'Retry-After', 'Content-Disposition']))
    expect(exposed).toHaveLength(new Set(exposed).size)
  })

  test('writes with a password only if its origin is listed, and with a token for CORS_ORIGINS=*', async () => {
    const create = (world: World, authorization: string) =>
      world.anonymous.post('/api/v3/surveys/', {
        json: { name: 'Lunch' },
        headers: { authorization, origin: siteUrl, 'sec-fetch-site': 'cross-site' },
      })
    const [ann, bob] = [await open.person(), await anyOrigin.person()]
    const { access_token: token } = await tokensFor(anyOrigin, await registerApp(anyOrigin), bob)
    expect((await create(open, ann.authorization!)).status).toBe(201)
    expect((await create(anyOrigin, bob.authorization!)).body.code).toBe('cross_site_request')
    expect((await create(anyOrigin, `Bearer ${token}`)).status).toBe(201)
  })
})
