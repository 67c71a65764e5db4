import { descendant, type Endpoint } from './contract.ts'
import type { Schemas } from './schemas.ts'

/** A reply before it is sent. `body` is the parsed JSON, or undefined if the reply is not JSON. */
export interface SentReply {
  status: number
  headers: Readonly<Record<string, unknown>>
  /** The Content-Type header; empty without a body. */
  contentType: string
  body: unknown
}

/**
 * Header fields that a reply may send only if the contract declares them for the reply. Other header fields are not
 * checked.
 */
const INTERFACE_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-range',
  'deprecation',
  'etag',
  'idempotent-replayed',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'vary',
  'www-authenticate',
  'x-request-id',
])

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')

/**
 * Compares a reply with its contract.
 * @returns the violations: an undeclared status, code or media type, an invalid body, a missing or undeclared header,
 *   a `Location` on 201
 */
export function violations(
  endpoint: Pick<Endpoint, 'operationId' | 'replies'>,
  schemas: Schemas,
  { status, headers, contentType, body }: SentReply,
): string[] {
  const reply = endpoint.replies.get(status)
  if (!reply) return [`${endpoint.operationId} does not declare status ${status}`]
  const label = `${endpoint.operationId} ${status}`
  const errors = reply.required
    .filter((name) => headers[name] === undefined)
    .map((name) => `${label}: header ${name} is missing`)
  const undeclared = Object.keys(headers).filter((name) => INTERFACE_HEADERS.has(name) && !reply.headers.includes(name))
  errors.push(...undeclared.map((name) => `${label}: does not declare the header ${name}`))
  const codes = reply.value['x-codes']
  const { code } = (body ?? {}) as { code?: string }
  if (codes && code !== undefined && !codes.includes(code)) errors.push(`${label}: does not declare the code ${code}`)
  if (status === 201 && headers.location !== undefined) errors.push(`${label}: must not have a Location header`)
  const content = reply.value.content ?? {}
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (!Object.keys(content).length)
    return type ? [...errors, `${label}: declares no body, but the reply has one of type ${type}`] : errors
  if (!content[type]) return [...errors, `${label}: does not declare ${type || 'a reply without a body'}`]
  if (!isJson(type) || !content[type].schema) return errors
  const validate = schemas.at(descendant(reply, 'content', type, 'schema').pointer)
  if (validate(body)) return errors
  return [
    ...errors,
    ...validate.errors!.map(({ instancePath, message }) => `${label}: ${instancePath || 'the body'} ${message}`),
  ]
}
