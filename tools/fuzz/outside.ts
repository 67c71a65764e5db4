import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** A rejection that the specification requires, see tools/fuzz/refusals.json. */
interface Refusal {
  code: string
  operations?: string[]
  methods?: string[]
  section: string
}

/** A failure that Schemathesis found with its default settings. */
export interface OutsideFailure {
  /** The operationId. */
  operation: string
  method: string
  /** The class of the failure, such as `RejectedPositiveData`. */
  type: string
  status: number | undefined
  /** The error codes of the reply: the codes of its field errors, or the code of the problem. */
  codes: string[]
  /** The members of the body that are invalid in the request, although Schemathesis generated them as valid. */
  spoiledMembers: ReadonlySet<string>
  /** The members with field errors. */
  members: string[]
  /** Whether the request had the header If-Match. */
  isConditional: boolean
  /** Whether every part that was generated as invalid is valid in the request. */
  isValidAsSent: boolean
}

/** The types of failures that Schemathesis reports for a rejected request. */
const REJECTIONS: ReadonlySet<string> = new Set(['RejectedPositiveData', 'ServerError'])

/**
 * Returns a function that finds the reason for a reply that Schemathesis reports as a failure. The function returns the
 * section of docs/specification.md or of an RFC that requires the reply; undefined if no section requires it.
 */
export async function sectionsOf(root: string): Promise<(failure: OutsideFailure) => string | undefined> {
  const refusals = JSON.parse(await readFile(path.join(root, 'tools/fuzz/refusals.json'), 'utf8')) as Refusal[]
  return ({ operation, method, type, status, codes, spoiledMembers, members, isConditional, isValidAsSent }) => {
    // The service compares If-Match before it checks the rules that no schema can express.
    if (type === 'AcceptedNegativeData' && status === 412 && isConditional) return 'RFC 9110, 13.2'
    if (type === 'AcceptedNegativeData' && isValidAsSent) return '2.3'
    // The object exists, but the request names another object in its query or body, and this other object does not
    // exist.
    const missing = /^(\w+)_not_found$/.exec(codes[0] ?? '')?.[1]?.replaceAll('_', '')
    if (type === 'EnsureResourceAvailability' && missing && !operation.toLowerCase().includes(missing)) return '3.2'
    if (!REJECTIONS.has(type) || codes.length === 0) return undefined
    if (codes.every((code) => code === 'reserved_name')) return '2.2'
    // shareSurvey accepts group IDs in `group`, or in `results` as in a reply. In both cases the error names `group`.
    const isSpoiled = (name: string) => spoiledMembers.has(name) || (name === 'group' && spoiledMembers.has('results'))
    if (members.length > 0 && members.every(isSpoiled)) return '2.2'
    const found = codes.map((code) =>
      refusals.find(
        (refusal) =>
          refusal.code === code && (refusal.operations?.includes(operation) || refusal.methods?.includes(method)),
      ),
    )
    return found.every((refusal) => refusal !== undefined)
      ? [...new Set(found.map((refusal) => refusal!.section))].join('; ')
      : undefined
  }
}

interface Mutation {
  parameter_location: string
  parameter: string
  original_value?: unknown
}

interface Case {
  body?: unknown
  media_type?: string | null
  query?: Record<string, unknown> | null
  meta?: { phase?: { data?: { mutations?: Mutation[] } } }
}

interface Recorder {
  cases: Record<string, { value: Case }>
  checks?: Record<string, { status: string; failure_info?: { failure: { type: string; operation: string } } }[]>
  interactions: Record<
    string,
    {
      request?: { headers?: Record<string, string[]> }
      response?: { status_code: number; content?: { $base64: string } }
    }
  >
}

/**
 * Reads the failures from a report of Schemathesis.
 * @param report path of the NDJSON report
 * @param contract path of the contract that was fuzzed
 */
export async function failuresIn(report: string, contract: string): Promise<OutsideFailure[]> {
  const { paths } = JSON.parse(await readFile(contract, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  const failures: OutsideFailure[] = []
  for (const line of (await readFile(report, 'utf8')).split('\n')) {
    if (!line.startsWith('{"ScenarioFinished"')) continue
    const { recorder } = (JSON.parse(line) as { ScenarioFinished: { recorder: Recorder } }).ScenarioFinished
    for (const [id, checks] of Object.entries(recorder.checks ?? {}))
      for (const { status, failure_info: info } of checks) {
        if (status !== 'failure' || !info) continue
        const [method, template] = info.failure.operation.split(' ') as [string, string]
        const { request, response } = recorder.interactions[id] ?? {}
        const reply = replyIn(response?.content?.$base64)
        failures.push({
          operation: (paths[template]?.[method.toLowerCase()]?.operationId ?? info.failure.operation).replace(
            /Alias$/,
            '',
          ),
          method,
          type: info.failure.type,
          status: response?.status_code,
          codes: codesOf(reply),
          spoiledMembers: spoiledMembersOf(recorder.cases[id]?.value),
          members: (reply.errors ?? []).map(({ field }) => field.split(/[.[]/)[0]!),
          isValidAsSent: isValidAsSent(recorder.cases[id]?.value),
          isConditional: Object.keys(request?.headers ?? {}).some((name) => name.toLowerCase() === 'if-match'),
        })
      }
  }
  return failures
}

interface ErrorReply {
  code?: string
  errors?: { field: string; code: string }[]
}

/** Returns the JSON object of a reply; an empty one if the reply is not a JSON object. */
function replyIn(base64: string | undefined): ErrorReply {
  try {
    return Object(JSON.parse(Buffer.from(base64 ?? '', 'base64').toString('utf8')))
  } catch {
    return {}
  }
}

/** Returns the codes of the field errors of a reply, or the code of the problem if it is not `invalid_request`. */
function codesOf({ code, errors = [] }: ErrorReply): string[] {
  if (code === 'invalid_request') return [...new Set(errors.map((error) => error.code))]
  return code === undefined ? [] : [code]
}

/**
 * Returns the members of a body that are invalid in the request, although Schemathesis generated them as valid. With
 * its default settings, Schemathesis does not encode objects and arrays of a form as JSON, although `encoding` requires
 * this. It omits empty objects and arrays, and sends null, true and false as texts. It also treats unassigned
 * characters, such as U+20FB, as letters.
 */
function spoiledMembersOf(request: Case | undefined): ReadonlySet<string> {
  const isForm = /form/.test(request?.media_type ?? '')
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  const isKept = (value: unknown) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText))
  const isSpoiled = (value: unknown) =>
    (isForm && !isKept(value)) || (typeof value === 'string' && /\p{Cn}/u.test(value))
  return new Set(Object.entries(Object(request?.body)).flatMap(([name, value]) => (isSpoiled(value) ? [name] : [])))
}

/**
 * Returns whether a request is valid although Schemathesis generated some of its parts as invalid. A flag without a
 * value is valid, because it means true. A generated Authorization is valid, because the credentials of the run replace
 * it.
 */
function isValidAsSent({ query, meta }: Case = {}): boolean {
  const mutations = meta?.phase?.data?.mutations ?? []
  const isEmptyFlag = ({ parameter_location: place, parameter, original_value: type }: Mutation) =>
    place === 'query' && type === 'boolean' && query?.[parameter] === ''
  return mutations.length > 0 && mutations.every((one) => one.parameter === 'Authorization' || isEmptyFlag(one))
}
