import { lookup } from 'node:dns/promises'
import type { InspectedConfig } from '../../config.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../lib/loopback.ts'
import { forwardedAddress, forwardedElements } from '../../lib/network.ts'
import { type Arrival, CHALLENGE_HEADER, createChallenge, isProof } from '../../lib/server-proof.ts'
import { type Findings, reasonOf } from './finding.ts'

const TIMEOUT_MS = 10_000

/** An address that no client has (RFC 5737). */
const FORGED_ADDRESS = '192.0.2.77'
const PROXY_MEND =
  'Configure each proxy to add the address of its client (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).'

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
  const arrival = secretKey && (await checkReply(baseUrl, secretKey, found))
  if (!arrival) return
  checkProxies(config, arrival, found)
  const forged = await arrivalOf(baseUrl, secretKey, { 'X-Forwarded-For': FORGED_ADDRESS })
  if (forged.arrival?.address === FORGED_ADDRESS)
    found.error(
      'forwarded',
      'The server believes an address that the client wrote into X-Forwarded-For: clients can invent their address and evade limits.',
      PROXY_MEND,
    )
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

/** Requests how a request with these headers arrives. The arrival is undefined if the reply is not from this server. */
async function arrivalOf(
  baseUrl: string,
  secretKey: Buffer,
  headers: Record<string, string> = {},
): Promise<{ reply: Response; arrival: Arrival | undefined }> {
  const challenge = createChallenge(secretKey)
  const reply = await fetch(`${baseUrl}/healthz`, {
    headers: { ...headers, [CHALLENGE_HEADER]: challenge },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { arrival } = (await reply.json().catch(() => ({}))) as { arrival?: Arrival }
  return { reply, arrival: isProof(secretKey, challenge, arrival?.proof) ? arrival : undefined }
}

async function checkReply(baseUrl: string, secretKey: Buffer, found: Findings): Promise<Arrival | undefined> {
  try {
    const { reply, arrival } = await arrivalOf(baseUrl, secretKey)
    if (arrival) {
      found.ok('reply', `${baseUrl} reaches Canvass ${arrival.version} with the same secret key`)
      return arrival
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

/** Checks that proxies have added addresses to the request, and compares their number with `TRUSTED_PROXIES`. */
function checkProxies({ trustedProxies, baseUrl }: InspectedConfig, arrival: Arrival, found: Findings): void {
  const elements = forwardedElements(arrival.forwardedFor)
  const count = elements.length
  const wrong = elements.find((element) => forwardedAddress(element) === undefined)
  if (wrong !== undefined)
    found.error(
      'forwarded',
      `A proxy writes ${JSON.stringify(wrong)} into X-Forwarded-For, which is not an IP address: all its clients count as one network, and share its limits.`,
      PROXY_MEND,
    )
  const proxies = count === 1 ? '1 proxy adds an address' : `${count} proxies add addresses`
  const hides = hidingProxy(baseUrl, arrival)
  if (count === 0 && hides)
    found.error(
      'proxies',
      `${hides}, but no proxy adds the address of the client to X-Forwarded-For: all clients count as one network, and share its limits.`,
      `${PROXY_MEND} Then set TRUSTED_PROXIES=1.`,
    )
  else if (count > trustedProxies)
    found.error(
      'proxies',
      `${proxies} to X-Forwarded-For, but TRUSTED_PROXIES is ${trustedProxies}: all clients count as one network, and share its limits.`,
      `Set TRUSTED_PROXIES=${count}.`,
    )
  else if (count < trustedProxies)
    found.error(
      'proxies',
      `TRUSTED_PROXIES is ${trustedProxies}, but ${proxies} to X-Forwarded-For: clients can invent their address and evade limits.`,
      `Set TRUSTED_PROXIES=${count}, or: ${PROXY_MEND}`,
    )
  else found.ok('proxies', `TRUSTED_PROXIES is ${count}, the number of proxies that add an address`)
  if (arrival.forwardedProto && !isLoopbackUrl(baseUrl) && !baseUrl.startsWith(`${arrival.forwardedProto}:`))
    found.warning(
      'protocol',
      `The proxy reports ${arrival.forwardedProto}, but BASE_URL is ${baseUrl}.`,
      'Begin BASE_URL with the protocol that browsers use.',
    )
}

/** Returns how the request shows that it has passed a proxy; undefined if it does not show it. */
function hidingProxy(baseUrl: string, { host }: Arrival): string | undefined {
  const url = new URL(baseUrl)
  if (url.protocol === 'https:') return 'A proxy ends TLS'
  return host === url.host ? undefined : `A proxy replaces the host ${url.host} by ${host}`
}
