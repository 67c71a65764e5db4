import { describe, expect, it } from '@jest/globals'
import * as versions from '../../src/api/versions.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

interface Link {
  href: string
  type?: string
}

describe('the document of the OAuth endpoints', () => {
  it('is published beside the documents of the API, and is not listed as a version of the API', async () => {
    const { status, body } = await world.anonymous.get('/openapi/oauth.json')
    expect(status).toBe(200)
    expect(Object.keys(body.paths)).toEqual([
      '/accounts/developer/authorize/',
      '/accounts/oauth/token/',
      '/accounts/oauth/revoke/',
      '/.well-known/oauth-authorization-server',
      '/.well-known/api-catalog',
    ])
    expect(Object.keys(versions)).not.toContain('oauth')
  })

  it('has a reference page', async () => {
    const { status, text } = await world.anonymous.get('/docs/oauth/')
    expect(status).toBe(200)
    expect(text).toContain('OAuth')
  })

  it('has a path for each endpoint in the metadata', async () => {
    const { body: metadata } = await world.anonymous.get('/.well-known/oauth-authorization-server')
    const { body } = await world.anonymous.get('/openapi/oauth.json')
    for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
      expect(Object.keys(body.paths)).toContain(metadata[name].slice(world.base.length))
  })
})

describe('GET /.well-known/api-catalog', () => {
  it('lists every API with links that work', async () => {
    const reply = await world.anonymous.get('/.well-known/api-catalog')
    expect(reply.headers.get('content-type')).toMatch(/^application\/linkset\+json/)
    const { linkset } = JSON.parse(reply.text) as { linkset: Record<string, string | Link[]>[] }
    const [catalog, ...apis] = linkset
    expect(catalog!.item).toEqual(apis.map(({ anchor }) => ({ href: anchor })))
    for (const version of Object.keys(versions))
      expect(apis.map(({ anchor }) => anchor)).toContain(`${world.base}/api/${version}/`)
    for (const { anchor, ...relations } of apis)
      for (const { href, type } of Object.values(relations as Record<string, Link[]>).flat()) {
        const { status, headers } = await world.anonymous.get(href)
        expect([anchor, href, status, headers.get('content-type')]).toEqual([
          anchor,
          href,
          200,
          expect.stringMatching(`^${type}`),
        ])
      }
  })

  it('answers HEAD with a link to itself', async () => {
    const { status, headers } = await world.anonymous.head('/.well-known/api-catalog')
    expect([status, headers.get('link')]).toEqual([200, `<${world.base}/.well-known/api-catalog>; rel="api-catalog"`])
  })
})

describe('GET /api/<version>/', () => {
  it.each(Object.keys(versions))('links the OpenAPI document and the reference of %s for browsers', async (version) => {
    const { headers } = await world.anonymous.get(`/api/${version}/`, { headers: { accept: 'text/html' } })
    expect(headers.get('link')).toBe(
      `<${world.base}/openapi/${version}.json>; rel="service-desc"; type="application/json", <${world.base}/docs/${version}/>; rel="service-doc"; type="text/html"`,
    )
  })

  it('links the same documents for programs', async () => {
    const { headers } = await (await world.person()).get('/api/v3/')
    expect(headers.get('link')).toContain(`<${world.base}/openapi/v3.json>; rel="service-desc"`)
  })
})
