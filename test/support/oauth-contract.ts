import { readFileSync } from 'node:fs'
import { type Contract, endpointsOf, Schemas } from '../../src/api/engine/contract.ts'
import { violations } from '../../src/api/engine/reply.ts'

const contract: Contract = JSON.parse(readFileSync('generated/oauth/openapi.json', 'utf8'))
const endpoints = endpointsOf(contract)
const schemas = new Schemas(contract, { allErrors: true })

const POST_ONLY = ['/accounts/oauth/token/', '/accounts/oauth/revoke/']

/**
 * Checks a reply of an OAuth endpoint against the OpenAPI document of these endpoints. Ignores replies to requests that
 * the document does not describe: other addresses, HEAD requests, and the form of the consent page.
 * @throws Error with the violations
 */
export function assertMatchesOAuthContract(method: string, url: URL, reply: Response, text: string): void {
  const withSlash = url.pathname.replace(/\/?$/, '/')
  const path = POST_ONLY.includes(withSlash) ? withSlash : url.pathname
  const declared = POST_ONLY.includes(path) ? 'POST' : method
  const endpoint = endpoints.find((one) => one.path === path && one.method === declared)
  if (!endpoint) return
  const contentType = reply.headers.get('content-type') ?? ''
  const found = violations(endpoint, schemas, {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    contentType: reply.headers.get('content-length') === '0' ? '' : contentType,
    body: /json/.test(contentType) && text ? JSON.parse(text) : undefined,
  })
  if (found.length > 0) throw new Error(`${method} ${url.pathname}: ${found.join('; ')}`)
}
