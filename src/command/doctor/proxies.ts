import type { InspectedConfig } from '../../config.ts'
import { basePathOf, mustBePassedOn } from '../../lib/base-path.ts'
import { forwardedAddress, forwardedElements, isLoopbackUrl } from '../../lib/network.ts'
import { type Arrival, DOCTOR_PATH } from '../../lib/server-proof.ts'
import { type Findings, reasonOf } from './finding.ts'

/** Sends a request of the doctor, and returns how it arrived. */
export type Ask = (
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
export async function checkProxies(
  config: InspectedConfig,
  arrival: Arrival,
  found: Findings,
  ask: Ask,
): Promise<void> {
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
