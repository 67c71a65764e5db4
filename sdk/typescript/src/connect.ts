import { CanvassError } from './error.js'
import { type Patience, patient } from './patience.js'
import { queryString } from './query.js'
import type { Client, RequestOptions } from './v3/client/index.js'
import { version } from './version.js'

export interface Settings extends Patience {
  authorization: string
  fetch?: typeof fetch
}

const methods = ['get', 'post', 'put', 'delete'] as const

/** Teaches a generated client who is calling, to wait where it is asked to, and how refusals and filters look. */
export function connect(client: Client, { authorization, fetch = globalThis.fetch, ...patience }: Settings): Client {
  const headers = { Authorization: authorization, ...userAgent() }
  client.setConfig({ headers, fetch: patient(fetch, patience), throwOnError: true })
  // A page in HTML is what a proxy shows, or the wrong address.
  client.interceptors.response.use(async (response) => {
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html'))
      throw new CanvassError(response, await response.text())
    return response
  })
  client.interceptors.error.use((error, response) =>
    response && !response.ok ? new CanvassError(response, error) : error,
  )
  for (const method of methods) {
    const send = client[method]
    client[method] = ((options: RequestOptions) =>
      send({ ...options, querySerializer: serializerOf(options) })) as typeof send
  }
  return client
}

/** Outside a browser, which says itself what it is, and would ask the service whether it may be told otherwise. */
function userAgent(): Record<string, string> {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  const node = process?.versions?.node
  return node ? { 'User-Agent': `canvass-client-typescript/${version} node/${node}` } : {}
}

/** The generated client knows which lists are joined by commas, but not how to compare. */
function serializerOf({ querySerializer }: RequestOptions): (query: Record<string, unknown>) => string {
  if (typeof querySerializer === 'function') return querySerializer
  const parameters = Object.entries(querySerializer?.parameters ?? {})
  const joined = new Set(parameters.filter(([, { array }]) => array?.explode === false).map(([name]) => name))
  return (query) => queryString(query, joined)
}
