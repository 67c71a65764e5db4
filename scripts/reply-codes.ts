import { httpErrors } from '../src/api/engine/http-error.ts'
import { Problem, problems } from '../src/domain/problem.ts'
import type { ErrorCode } from './error-codes.ts'

interface Media {
  example?: Record<string, unknown>
  examples?: Record<string, { value: Record<string, unknown> }>
}

interface Reply {
  $ref?: string
  description?: string
  content?: Record<string, Media>
  'x-codes'?: string[]
}

interface Operation {
  operationId?: string
  parameters?: { $ref?: string; name?: string; in?: string }[]
  requestBody?: object
  responses?: Record<string, Reply>
  /** The error codes of the operation, in addition to the codes that all similar operations have. */
  'x-codes'?: string[]
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Reply> }
  'x-fallback-replies'?: Record<string, Reply>
}

const WRITE_METHODS = ['post', 'put', 'patch', 'delete']

/**
 * Returns the error codes that every operation can have, and those that an operation can have because of its path, its
 * method, its parameters or its request body.
 */
function commonCodes(path: string, method: string, operation: Operation): string[] {
  const writes = WRITE_METHODS.includes(method)
  const parameters = JSON.stringify(operation.parameters ?? [])
  return [
    'invalid_request',
    'unauthenticated',
    'not_authorized',
    'invalid_token',
    'insufficient_scope',
    'precondition_failed',
    'body_too_large',
    'unsupported_media_type',
    'unsupported_encoding',
    'range_not_satisfiable',
    'idempotency_key_reused',
    'too_many_attempts',
    'too_many_requests',
    'server_error',
    'unavailable',
    ...(operation.requestBody ? ['malformed_request'] : []),
    ...(path.includes('{') ? ['not_found'] : []),
    ...(writes ? ['busy', 'cross_site_request'] : []),
    ...(parameters.includes('Idempotency') ? ['reply_not_kept', 'request_in_progress'] : []),
  ]
}

/**
 * Lists the possible codes of each error reply under `x-codes` of the reply: the common codes, and the codes under
 * `x-codes` of the operation. Removes `x-codes` from the operation. The description of a reply with several codes lists
 * their meanings. Operations with the same codes share a reply.
 * @throws Error for a listed code that is unknown, or whose status the operation does not declare
 */
export function addReplyCodes(document: Document, catalogue: readonly ErrorCode[]): void {
  const shared = document.components.responses
  const originals = structuredClone(shared)
  /** The names of the shared replies. The key contains the name of the original reply and the codes. */
  const names = new Map<string, string>()
  const fallback = { responses: document['x-fallback-replies'], 'x-codes': ['not_found', 'method_not_allowed'] }
  for (const [path, item] of [...Object.entries(document.paths), ['', { fallback }] as const])
    for (const [method, operation] of Object.entries(item)) {
      const { responses, operationId } = operation
      if (!responses) continue
      const own = operation['x-codes'] ?? []
      delete operation['x-codes']
      assertDeclared(operationId!, own, responses, catalogue)
      const possible = new Set([...commonCodes(path, method, operation), ...own])
      for (const [status, reply] of Object.entries(responses)) {
        const isOwn = ({ code }: ErrorCode) => own.includes(code)
        const all = catalogue.filter((entry) => String(entry.status) === status && possible.has(entry.code))
        if (all.length === 0) continue
        const codes = [...all.filter(isOwn), ...all.filter((entry) => !isOwn(entry))]
        const base = reply.$ref?.split('/').at(-1)
        if (base === undefined) {
          describeCodes(reply, codes)
          continue
        }
        const key = `${base} ${codes.map(({ code }) => code)}`
        let name = names.get(key)
        if (name === undefined) {
          name = uniqueName(base, codes.filter(isOwn), new Set(names.values()))
          names.set(key, name)
          const copy = structuredClone(originals[base]!)
          describeCodes(copy, codes)
          shared[name] = copy
        }
        reply.$ref = `#/components/responses/${name}`
      }
    }
  const used = JSON.stringify(document)
  for (const name of Object.keys(shared)) if (!used.includes(`"#/components/responses/${name}"`)) delete shared[name]
}

function assertDeclared(
  operationId: string,
  own: readonly string[],
  responses: object,
  catalogue: readonly ErrorCode[],
): void {
  for (const code of own) {
    const entry = catalogue.find((one) => one.code === code)
    if (!entry) throw new Error(`${operationId}: x-codes has the unknown code ${code}`)
    if (!(entry.status in responses))
      throw new Error(`${operationId}: x-codes has ${code}, but the operation does not declare status ${entry.status}`)
  }
}

const pascal = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Returns the name of a reply, which is formed from its codes, such as `NotFoundCollector`. */
function uniqueName(base: string, own: readonly ErrorCode[], taken: ReadonlySet<string>): string {
  const start = base.replace(/-\d+$/, '')
  const ends = own.map(({ code }) => pascal(code.replace(/_not_found$/, ''))).filter((end) => end !== start)
  const name = start + ends.join('')
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}${number}`
    if (!taken.has(numbered)) return numbered
  }
}

function describeCodes(reply: Reply, codes: readonly ErrorCode[]): void {
  reply['x-codes'] = codes.map(({ code }) => code)
  if (codes.length > 1)
    reply.description = `${reply.description!.trim()}\n\n${codes.map(({ code, meaning }) => `- \`${code}\`: ${meaning}`).join('\n')}`
  for (const media of Object.values(reply.content ?? {})) {
    const { example } = media
    if (!example || (codes.length === 1 && example.code === codes[0]!.code)) continue
    delete media.example
    const values = codes.map((code) => [code.code, { value: exampleOf(code, example) }] as const)
    media.examples = Object.fromEntries(values)
  }
}

/** Returns an example of an error in the format of another error. */
function exampleOf({ code, meaning }: ErrorCode, { errors, ...example }: Record<string, unknown>) {
  if (example.code === code) return { ...example, ...(errors !== undefined && { errors }) }
  const problem = samples.get(code)
  const text = problem?.message ?? meaning.replaceAll('`', '')
  const fields =
    problem?.errors.map(({ field, code: fieldCode, message }) => ({ field, code: fieldCode, message })) ?? []
  return {
    ...example,
    code,
    ['detail' in example ? 'detail' : 'description']: text,
    ...(fields.length > 0 && { errors: fields }),
  }
}

/** An example of a problem for each code whose text has no parameters. */
const samples = new Map<string, Problem>(
  [...Object.values(problems), ...Object.values(httpErrors)]
    .filter((create) => create.length === 0)
    .map((create) => (create as () => Problem)())
    .filter((problem) => problem instanceof Problem)
    .map((problem) => [problem.code, problem]),
)
