import { lookup } from 'node:dns/promises'
import type { InspectedConfig } from '../../config.ts'
import { basePathOf, mustBePassedOn } from '../../lib/base-path.ts'
import { forwardedAddress, forwardedElements, isLoopbackHost, isLoopbackUrl } from '../../lib/network.ts'
import { type Arrival, CHALLENGE_HEADER, createChallenge, DOCTOR_PATH, isProof } from '../../lib/server-proof.ts'
import { type Findings, reasonOf } from './finding.ts'

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
  if (!secretKey) return found.ok('reply', 'not checked, because the first start creates the secret key')
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

/** Sends a request of the doctor, and returns how it arrived. */
type Ask = (
  path: string,
  request?: { headers?: Record<string, string>; body?: Buffer; timeoutMs?: number },
) => Promise<{ reply: Response; arrival: Arrival | undefined }>

/** An address that no client has (RFC 5737). */
const FORGED_ADDRESS = '192.0.2.77'
const ADD_ADDRESS =
  'Configure each proxy to add the address of its client (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).'
/** A path with characters that proxies decode, remove or refuse. */
const ODD_PATH = '/a%2Fb;c%25/'
const BODY_TIMEOUT_MS = 60_000
/** The doctor keeps the body in memory. */
const MAX_BODY_MEGABYTES = 100

/** Checks how requests pass the proxies in front of the server (docs/proxies.md). */
async function checkProxies(config: InspectedConfig, arrival: Arrival, found: Findings, ask: Ask): Promise<void> {
  checkHost(config, arrival, found)
  checkAddresses(config, arrival, found)
  const forged = await ask(DOCTOR_PATH, { headers: { 'X-Forwarded-For': FORGED_ADDRESS } })
  if (forged.arrival?.address === FORGED_ADDRESS)
    found.error(
      'forwarded',
      'The server believes an address that the client wrote into X-Forwarded-For: clients can invent their address and evade limits.',
      ADD_ADDRESS,
    )
  checkProtocol(config, arrival, found)
  checkPath(config, arrival, found)
  await checkOddPath(config, found, ask)
  await checkBodies(config, found, ask)
}

/** Returns the host that replaces the host of the base URL. A proxy can leave out the port. */
function replacedHost(baseUrl: string, { host }: Arrival): string | undefined {
  const url = new URL(baseUrl)
  return host === url.host || host === url.hostname ? undefined : host
}

function checkHost({ baseUrl }: InspectedConfig, arrival: Arrival, found: Findings): void {
  const host = replacedHost(baseUrl, arrival)
  if (host !== undefined)
    found.warning(
      'host',
      `A proxy replaces the host ${new URL(baseUrl).host} by ${host}.`,
      'Pass the host on (nginx: proxy_set_header Host $host; Apache: ProxyPreserveHost On).',
    )
}

/** Checks that proxies have added addresses to the request, and compares their number with `TRUSTED_PROXIES`. */
function checkAddresses({ trustedProxies, baseUrl }: InspectedConfig, arrival: Arrival, found: Findings): void {
  const elements = forwardedElements(arrival.forwardedFor)
  const count = elements.length
  const wrong = elements.find((element) => forwardedAddress(element) === undefined)
  if (wrong !== undefined)
    found.error(
      'forwarded',
      `A proxy writes ${JSON.stringify(wrong)} into X-Forwarded-For, which is not an IP address: all its clients count as one network, and share its limits.`,
      ADD_ADDRESS,
    )
  const proxies = count === 1 ? '1 proxy adds an address' : `${count} proxies add addresses`
  const host = replacedHost(baseUrl, arrival)
  const hides = baseUrl.startsWith('https:')
    ? 'A proxy ends TLS'
    : host !== undefined && `A proxy replaces the host ${new URL(baseUrl).host} by ${host}`
  if (count === 0 && hides)
    found.error(
      'proxies',
      `${hides}, but no proxy adds the address of the client to X-Forwarded-For: all clients count as one network, and share its limits.`,
      `${ADD_ADDRESS} Then set TRUSTED_PROXIES=1.`,
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
      `Set TRUSTED_PROXIES=${count}, or: ${ADD_ADDRESS}`,
    )
  else found.ok('proxies', `TRUSTED_PROXIES is ${count}, the number of proxies that add an address`)
}

function checkProtocol({ baseUrl }: InspectedConfig, arrival: Arrival, found: Findings): void {
  const { forwardedProto, forwardedFor, httpVersion } = arrival
  if (!forwardedProto && (forwardedFor || baseUrl.startsWith('https:')))
    found.warning(
      'protocol',
      'No proxy sets X-Forwarded-Proto.',
      'Set it to the protocol that browsers use (nginx: proxy_set_header X-Forwarded-Proto $scheme).',
    )
  else if (forwardedProto && !isLoopbackUrl(baseUrl) && !baseUrl.startsWith(`${forwardedProto}:`))
    found.warning(
      'protocol',
      `The proxy reports ${forwardedProto}, but BASE_URL is ${baseUrl}.`,
      'Begin BASE_URL with the protocol that browsers use.',
    )
  if (httpVersion === '1.0')
    found.warning(
      'version',
      'The proxy sends requests in HTTP/1.0, in which a download has no length, and every request needs a connection of its own.',
      'Use HTTP/1.1 (nginx: proxy_http_version 1.1 and proxy_set_header Connection "").',
    )
}

function checkPath({ baseUrl }: InspectedConfig, { url, forwardedPrefix }: Arrival, found: Findings): void {
  const base = basePathOf(baseUrl)
  const isRemoved = base !== '' && url !== undefined && !url.startsWith(`${base}/`)
  if (isRemoved && mustBePassedOn(base) && forwardedPrefix !== base)
    found.error(
      'path',
      `A proxy removes ${base} from addresses, but the server has addresses that begin with it: some pages cannot be reached.`,
      'Pass the path on (nginx: no path in proxy_pass), or choose another path.',
    )
}

async function checkOddPath({ baseUrl }: InspectedConfig, found: Findings, ask: Ask): Promise<void> {
  const { reply, arrival } = await ask(DOCTOR_PATH + ODD_PATH)
  if (arrival?.url?.endsWith(DOCTOR_PATH + ODD_PATH)) return
  found.error(
    'encoded',
    arrival
      ? `A proxy changes the address ${DOCTOR_PATH}${ODD_PATH} to ${arrival.url}: questions whose ids have such characters cannot be reached.`
      : `${baseUrl}${DOCTOR_PATH}${ODD_PATH} replies with ${reply.status}: questions whose ids have such characters cannot be reached.`,
    'Pass addresses on as they are (nginx: no path in proxy_pass; Apache: AllowEncodedSlashes NoDecode, and nocanon in ProxyPass).',
  )
}

/** Sends a body with the size of the largest file. */
async function checkBodies({ files }: InspectedConfig, found: Findings, ask: Ask): Promise<void> {
  const megabytes = Math.min(files.maxMegabytes, MAX_BODY_MEGABYTES)
  const body = Buffer.alloc(megabytes * 1_000_000)
  const outcome = await ask(DOCTOR_PATH, { body, timeoutMs: BODY_TIMEOUT_MS }).then(
    ({ reply, arrival }) => (arrival?.bodyBytes === body.length ? undefined : `gets ${reply.status}`),
    (error) => `fails: ${reasonOf(error)}`,
  )
  if (outcome === undefined) return found.ok('bodies', `requests of ${megabytes} MB arrive`)
  found.error(
    'bodies',
    `A request of ${megabytes} MB (FILE_MAX_MB) does not reach the server; it ${outcome}.`,
    'Raise the limit of the proxy (nginx: client_max_body_size 0; ingress-nginx: the annotation proxy-body-size), or lower FILE_MAX_MB.',
  )
}
