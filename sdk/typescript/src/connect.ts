import { CanvassError } from './error.js'
import { queryString } from './query.js'
import { type RetryOptions, retry } from './retry.js'
import type { Client, RequestOptions } from './v3/client/index.js'
import { version } from './version.js'

export interface Settings extends RetryOptions {
  authorization: string
  fetch?: typeof fetch
}

const METHODS = ['get', 'post', 'put', 'delete'] as const

/** Adds credentials, retries, errors and filters to a generated client. */
export function connect(client: Client, { authorization, fetch = globalThis.fetch, ...options }: Settings): Client {
  const headers = { Authorization: authorization, ...userAgent() }
  client.setConfig({ headers, fetch: retry(fetch, options), throwOnError: true })
  // An HTML page means that a proxy replied or that the base URL is wrong.
  client.interceptors.response.use(async (response) => {
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html'))
      throw new CanvassError(response, await response.text())
    return response
  })
  client.interceptors.error.use((error, response) =>
    response && !response.ok ? new CanvassError(response, error) : error,
  )
  for (const method of METHODS) {
    const send = client[method]
    client[method] = ((options: RequestOptions) =>
      send({ ...options, querySerializer: serializerOf(options) })) as typeof send
  }
  return client
}

/** Returns the User-Agent header; none in a browser, where a custom one would cause a preflight request. */
function userAgent(): Record<string, string> {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  const node = process?.versions?.node
  return node ? { 'User-Agent': `canvass-client-typescript/${version} node/${node}` } : {}
}

/** Returns a serializer that joins the same lists with commas as the generated client and supports comparisons. */
function serializerOf({ querySerializer }: RequestOptions): (query: Record<string, unknown>) => string {
  if (typeof querySerializer === 'function') return querySerializer
  const parameters = Object.entries(querySerializer?.parameters ?? {})
  const joined = new Set(parameters.filter(([, { array }]) => array?.explode === false).map(([name]) => name))
  return (query) => queryString(query, joined)
}
