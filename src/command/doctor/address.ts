import { lookup } from 'node:dns/promises'
import type { InspectedConfig } from '../../config.ts'
import { isLoopbackHost } from '../../lib/network.ts'
import { type Arrival, CHALLENGE_HEADER, createChallenge, DOCTOR_PATH, isProof } from '../../lib/server-proof.ts'
import { type Findings, reasonOf } from './finding.ts'
import { type Ask, checkProxies } from './proxies.ts'

const TIMEOUT_MS = 10_000

/** What to do about the error codes of a request. */
const MENDS: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED/, 'Renew the certificate at the proxy that ends TLS.'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'Get a certificate for the host of BASE_URL.'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/,
    'Use a certificate of a public authority, with its intermediate certificates. For a private one, set NODE_EXTRA_CA_CERTS.',
  ],
  [/ECONNREFUSED/, 'Start "canvass serve". If it runs, check the address to which the proxy forwards, HOST and PORT.'],
  [/EPROTO|WRONG_VERSION/, 'The port does not speak TLS: configure TLS at the proxy, or begin BASE_URL with http://.'],
]

/**
 * Checks `BASE_URL`: whether its name can be resolved, whether it is encrypted, and whether requests to it reach a
 * server with the same secret key.
 */
export async function checkAddress(config: InspectedConfig, found: Findings): Promise<void> {
  const { baseUrl, host, secretKey } = config
  const { hostname, protocol } = new URL(baseUrl)
  if (isLoopbackHost(hostname)) {
    if (isLoopbackHost(host)) found.ok('public', 'BASE_URL is an address of this machine, for development')
    else
      found.warning(
        'public',
        `The server listens on ${host}, but BASE_URL is ${baseUrl}: links in emails lead to the computer of the reader.`,
        'Set BASE_URL to the public address of the server.',
      )
  } else if (protocol === 'http:')
    found.warning(
      'https',
      'BASE_URL begins with http://: passwords and responses are sent in plain text.',
      'Put a proxy with TLS before the server, such as Caddy or nginx, and begin BASE_URL with https://.',
    )
  else found.ok('https', 'BASE_URL begins with https://')
  if (!(await checkName(hostname.replace(/^\[|\]$/g, ''), found))) return
  if (!secretKey) return
  const ask = asker(baseUrl, secretKey)
  const arrival = await checkReply(baseUrl, ask, found)
  if (arrival) await checkProxies(config, arrival, found, ask)
}

async function checkName(hostname: string, found: Findings): Promise<boolean> {
  try {
    const addresses = await lookup(hostname, { all: true })
    found.ok('dns', `${hostname} is ${addresses.map(({ address }) => address).join(', ')}`)
    return true
  } catch (error) {
    found.error(
      'dns',
      `The name ${hostname} has no address (${(error as NodeJS.ErrnoException).code}).`,
      'Add an A or AAAA record for the name, or correct BASE_URL.',
    )
    return false
  }
}

/** Returns a function that sends requests. The arrival is undefined if the reply is not from this server. */
const asker =
  (baseUrl: string, secretKey: Buffer): Ask =>
  async (path, { headers = {}, body, timeoutMs = TIMEOUT_MS } = {}) => {
    const challenge = createChallenge(secretKey)
    const reply = await fetch(`${baseUrl}${path}`, {
      headers: { ...headers, [CHALLENGE_HEADER]: challenge },
      ...(body && { method: 'POST', body: new Uint8Array(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { arrival } = (await reply.json().catch(() => ({}))) as { arrival?: Arrival }
    return { reply, arrival: isProof(secretKey, challenge, arrival?.proof) ? arrival : undefined }
  }

async function checkReply(baseUrl: string, ask: Ask, found: Findings): Promise<Arrival | undefined> {
  try {
    const { reply, arrival } = await ask(DOCTOR_PATH)
    if (arrival) {
      found.ok('reply', `${baseUrl} reaches Canvass ${arrival.version} with the same secret key`)
      return arrival
    }
    if (reply.headers.has('age')) {
      found.error(
        'cache',
        `A cache replies to ${baseUrl}${DOCTOR_PATH} in place of the server.`,
        'Let the proxy obey Cache-Control: health checks and pages have no-store.',
      )
      return undefined
    }
    const location = reply.headers.get('location')
    found.error(
      'reply',
      location
        ? `${baseUrl} redirects to ${location}.`
        : `${baseUrl} replies with ${reply.status}, but the reply is not from this server.`,
      location
        ? 'Set BASE_URL to the address to which it redirects, or correct the redirect.'
        : 'Correct BASE_URL or the proxy. If it is this server, it has another SECRET_KEY or version: use the same settings here.',
    )
  } catch (error) {
    const { cause = error } = error as { cause?: unknown }
    const { code = '' } = cause as NodeJS.ErrnoException
    const mend = MENDS.find(([pattern]) => pattern.test(`${code} ${reasonOf(error)}`))?.[1]
    found.error(
      'reply',
      `${baseUrl} does not reply: ${reasonOf(error)}.`,
      mend ?? 'Start "canvass serve", and check the proxy and the firewall.',
    )
  }
  return undefined
}
