import { beforeAll, describe, expect, test } from '@jest/globals'
import { FIRST_SEGMENTS } from '../../src/lib/base-path.ts'
import { accountRoutes, publicRoutes, respondentRoutes } from '../../src/web/routes.ts'
import { HttpBrowser } from '../support/http-browser.ts'
import { useIdentityProvider } from '../support/identity.ts'
import { authorizePath, exchangeCode, minimalQuery, registerApp } from '../support/oauth.ts'
import { useReceiver } from '../support/receiver.ts'
import { addSurvey, pageOf, text } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { surveyWithSignIn } from './custom-authentication/survey.ts'
import { RespondentBrowser } from './respondent-browser.ts'
import { addressOf, siteMap } from './site-map.ts'
import { createSiteMapData, type SiteMapData } from './site-map-data.ts'

const BASE = '/feedback'
const world = useWorld({ basePath: BASE })
const receiver = useReceiver()
const identity = useIdentityProvider('bearer')
let data: SiteMapData
let browser: HttpBrowser

beforeAll(async () => {
  data = await createSiteMapData(world, receiver)
  browser = new HttpBrowser(world.base)
  await browser.post(`${BASE}/accounts/login/`, { username: data.owner.actor.username, password: data.owner.password })
}, 120_000)

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => CHARACTERS[name]!)

/** Returns the addresses on this host in the attributes of a page, with the names of the attributes. */
const addressesIn = (page: string): { name: string; address: string }[] =>
  [...page.matchAll(/<[a-z][^<>]*>/gi)].flatMap(([tag]) =>
    [...tag.matchAll(/\s([a-z-]+)="((?:\/|http:\/\/127\.0\.0\.1:)[^"\s]*)"/g)]
      .map(([, name, address]) => ({ name: name!, address: unescaped(address!) }))
      // The value of a field is text. A path in it has no base path, so that forms and redirects mean the same.
      .filter(({ name, address }) => !['value', 'placeholder'].includes(name) && !address.startsWith('//')),
  )

const isInside = (address: string) => {
  const { origin, pathname } = new URL(address, world.base)
  return origin !== world.base || pathname.startsWith(`${BASE}/`)
}

describe('a service below a path', () => {
  test('links only to addresses below the path, and all of them work', async () => {
    const outside: string[] = []
    const links = new Set<string>()
    const visit = async (address: string) => {
      const reply = await browser.get(address)
      if (reply.status >= 400 || (reply.to && !isInside(reply.to)))
        outside.push(`${address}: ${reply.status} ${reply.to}`)
      const type = reply.headers.get('content-type') ?? ''
      return type.startsWith('text/html') ? addressesIn(reply.text) : []
    }
    for (const page of siteMap)
      for (const { name, address } of await visit(BASE + addressOf(page, data)))
        if (!isInside(address)) outside.push(`${page.name}: ${name}="${address}"`)
        // The addresses of forms need POST.
        else if (['href', 'src'].includes(name)) links.add(address.replace(/#.*/, ''))
    expect(links.size).toBeGreaterThan(300)
    for (const link of links) await visit(link)
    expect(outside).toEqual([])
  }, 300_000)

  test('sets cookies for the path', async () => {
    const reply = await browser.post(`${BASE}/accounts/login/`, {
      username: data.owner.actor.username,
      password: data.owner.password,
    })
    expect([reply.status, reply.to]).toEqual([303, `${BASE}/account/surveys/`])
    for (const cookie of reply.headers.getSetCookie()) expect(cookie.toLowerCase()).toContain(`; path=${BASE}/;`)
  })

  test('redirects visitors to the sign-in page, and back to the page that they requested', async () => {
    const visitor = new HttpBrowser(world.base)
    const { to } = await visitor.get(`${BASE}/account/keys/`)
    expect(to).toBe(`${BASE}/accounts/login/?next=%2Faccount%2Fkeys%2F`)
    await visitor.get(to!)
    const { username } = data.owner.actor
    const signedIn = await visitor.post(to!, { username, password: data.owner.password, next: '/account/keys/' })
    expect(signedIn.to).toBe(`${BASE}/account/keys/`)
    expect((await visitor.get(BASE)).to).toBe(`${BASE}/account/surveys/`)
    expect((await visitor.get(`${BASE}/accounts/login`)).to).toBe(`${BASE}/accounts/login/`)
  })

  test('has absolute addresses below the path in the API, in its errors and in emails', async () => {
    const { owner, values } = data
    const url = world.base + BASE
    const outside = new RegExp(`${world.base}(?!${BASE}/)[^"\\s]*`, 'g')
    for (const path of [
      'surveys/?page_size=1',
      `surveys/${values.surveys}/`,
      `surveys/${values.surveys}/responses/?page_size=1`,
    ]) {
      const reply = await owner.get(`${BASE}/api/v3/${path}`)
      expect(reply.text).toContain(`${url}/`)
      expect([...reply.text.matchAll(outside), ...(reply.headers.get('link') ?? '').matchAll(outside)]).toEqual([])
    }
    const { body } = await owner.get(`${BASE}/api/v3/surveys/${values.surveys}/responses/?page_size=1`)
    expect((await owner.get(body.next)).body.results[0]._id).not.toBe(body.results[0]._id)
    expect((await owner.get(`${BASE}/api/v3/surveys/999999/`)).body.instance).toBe(`${BASE}/api/v3/surveys/999999/`)
    const mail = (await browser.get(`${BASE}/dev/outbox/${values.outbox}/message.eml`)).text.replaceAll('=\r\n', '')
    expect(mail).toContain(`${url}/unsubscribe/`)
    expect([...mail.matchAll(outside)].map(([address]) => address)).toEqual([])
  })

  test('describes itself with the path: OAuth metadata, catalogue and API documents', async () => {
    const url = world.base + BASE
    const metadata = await world.anonymous.get(`${BASE}/.well-known/oauth-authorization-server`)
    expect(metadata.body).toMatchObject({ issuer: url, token_endpoint: `${url}/accounts/oauth/token/` })
    // RFC 8414, 3.1: the path of the issuer stands at the end.
    const other = await world.anonymous.get(`/.well-known/oauth-authorization-server${BASE}`)
    expect(other.body).toEqual(metadata.body)
    const server = async (path: string) => (await world.anonymous.get(BASE + path)).body.servers[0].url
    expect(await server('/openapi/v3.json')).toBe(`${BASE}/api/v3`)
    expect(await server('/openapi/v3/openapi-3.0.json')).toBe(`${BASE}/api/v3`)
    expect(await server('/openapi/oauth.json')).toBe(BASE)
    expect((await world.anonymous.post(`${BASE}/accounts/oauth/token/`, { form: {} })).body.error).toBe(
      'invalid_client',
    )
  })

  test('authorizes an application, and signs respondents in at an identity provider', async () => {
    const app = await registerApp(world, { owner: data.owner })
    const page = BASE + authorizePath({ ...minimalQuery(app), state: 's' })
    await browser.get(page)
    const consent = [
      ['decision', 'allow'],
      ['scope', 'read'],
    ] as [string, string][]
    const redirect = new URL((await browser.post(page, consent)).to!)
    expect(redirect.searchParams.get('iss')).toBe(world.base + BASE)
    expect((await exchangeCode(world, app, redirect.searchParams.get('code')!)).status).toBe(200)

    const { path } = await surveyWithSignIn(world, identity)
    identity.redirectUris.push(`${world.base}${BASE}${path}sign-in/`)
    const respondent = new RespondentBrowser(world.base)
    const started = await respondent.get(BASE + path)
    expect(started.headers.getSetCookie().join()).toContain(`; path=${BASE}${path}sign-in/;`)
    const back = (await fetch(started.to!, { redirect: 'manual' })).headers.get('location')!
    expect(back.startsWith(`${world.base}${BASE}${path}sign-in/`)).toBe(true)
    const returned = await respondent.get(back)
    expect(returned.to).toBe(BASE + path)
    const [deleted, session] = returned.headers.getSetCookie()
    expect([deleted, session]).toEqual([
      expect.stringContaining(`=; path=${BASE}${path}sign-in/; expires=Thu, 01 Jan 1970`),
      expect.stringContaining(`; path=${BASE}/;`),
    ])
    expect((await respondent.get(BASE + path)).text).toContain(`action="${BASE}${path}`)
  })

  test('serves requests from which a proxy has removed the path', async () => {
    expect((await world.anonymous.get('/readyz')).status).toBe(200)
    expect((await world.anonymous.get(`${BASE}/readyz`)).status).toBe(200)
    expect((await world.anonymous.get('/account/')).headers.get('location')).toBe(
      `${BASE}/accounts/login/?next=%2Faccount%2F`,
    )
    expect((await world.anonymous.get('/feedbackaccount/')).status).toBe(404)
  })

  test('keeps paths with two slashes and other hosts out of redirects', async () => {
    for (const path of [`${BASE}//example.org/accounts/login`, `${BASE}//accounts/login`])
      expect((await world.anonymous.get(path)).headers.get('location') ?? '').not.toMatch(/^\/\/|example\.org/)
  })

  test('does not change what people type: a text with an address stays as it is', async () => {
    const typed = '<a href="/elsewhere/">"/elsewhere/" href="/elsewhere/"</a>'
    const { survey } = await addSurvey(data.owner, { title: typed, form: [pageOf(text('t'))] })
    expect((await browser.get(`${BASE}/account/surveys/${survey.id}/edit/json/`)).text).not.toContain(
      `${BASE}/elsewhere/`,
    )
    expect((await browser.get(`${BASE}/account/surveys/${survey.id}/`)).text).not.toContain(`${BASE}/elsewhere/`)
  })
})

describe('a service below a path that begins like one of its addresses', () => {
  const surveys = useWorld({ basePath: '/surveys' })

  test('serves requests with the path, or with X-Forwarded-Prefix', async () => {
    const ann = await surveys.person({ username: 'ann' })
    const { survey } = await addSurvey(ann, { title: 'Lunch', form: [pageOf(text('t'))] })
    const path = `/surveys/ann/${survey.slug}/`
    const status = async (address: string, headers = {}) => (await surveys.anonymous.get(address, { headers })).status
    expect(await status(`/surveys${path}`)).toBe(200)
    expect(await status(path)).toBe(404)
    expect(await status(path, { 'X-Forwarded-Prefix': '/surveys/' })).toBe(200)
    expect((await surveys.anonymous.get(`/surveys${path}`)).text).toContain(`action="/surveys${path}`)
  })
})

test('the list of first segments has those of all addresses', () => {
  const paths = [...respondentRoutes, ...publicRoutes, ...accountRoutes].map(([, path]) => path.split('/')[1]!)
  const others = ['healthz', 'readyz', 'metrics', 'api', 'openapi', 'docs', 'embed', 'assets', '.well-known']
  expect([...FIRST_SEGMENTS].toSorted()).toEqual([...new Set([...paths, ...others])].toSorted())
})

describe('a service below a path with HTTPS', () => {
  const https = useWorld({ settings: { BASE_URL: 'https://example.org/feedback' } })

  test('has cookies that no page outside HTTPS can set, for the path only', async () => {
    const { actor, password } = await https.person()
    const form = { username: actor.username, password }
    const headers = { origin: 'https://example.org' }
    const reply = await https.anonymous.post(`${BASE}/accounts/login/`, { form, headers })
    const cookies = reply.headers.getSetCookie()
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['__Secure-session', '__Secure-device'])
    for (const cookie of cookies) expect(cookie).toMatch(/; path=\/feedback\/;.*; secure/)
  })
})
