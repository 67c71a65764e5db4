import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** A rejection that is not an error, see test/fuzz/refusals.json. */
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
  /** The codes of the reply: of its field errors, or of the problem. */
  codes: string[]
  /** Whether the request had a form. */
  isForm: boolean
}

/**
 * Codes that are excused for forms, because a form can differ from the data that Schemathesis generated: it does not
 * encode a member as JSON, as `encoding` demands, and it sends null and false as the texts "null" and "false". In the
 * JSON text of a form, ignored members cannot contain U+0000 either.
 */
const FORM_CODES: ReadonlySet<string> = new Set([
  'invalid_json',
  'invalid_characters',
  'required',
  'weak_password',
  'invalid_setting',
])

/** The failures that a rejection causes. */
const REJECTIONS: ReadonlySet<string> = new Set(['RejectedPositiveData', 'ServerError'])

/** Returns the section of docs/specification.md or of an RFC that demands a failure; undefined if none does. */
export async function sectionsOf(root: string): Promise<(failure: OutsideFailure) => string | undefined> {
  const refusals = JSON.parse(await readFile(path.join(root, 'test/fuzz/refusals.json'), 'utf8')) as Refusal[]
  return ({ operation, method, type, status, codes, isForm }) => {
    // The service compares If-Match before it checks the rules that no schema can express.
    if (type === 'AcceptedNegativeData' && status === 412) return 'RFC 9110, 13.2'
    // The object was created, but the request names another one in its query or body.
    const missing = /^(\w+)_not_found$/.exec(codes[0] ?? '')?.[1]?.replaceAll('_', '')
    if (type === 'EnsureResourceAvailability' && missing && !operation.toLowerCase().includes(missing)) return '3.2'
    if (!REJECTIONS.has(type) || codes.length === 0) return undefined
    if (isForm && codes.every((code) => FORM_CODES.has(code))) return '2.2'
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

interface Recorder {
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
        failures.push({
          operation: (paths[template]?.[method.toLowerCase()]?.operationId ?? info.failure.operation).replace(
            /Alias$/,
            '',
          ),
          method,
          type: info.failure.type,
          status: response?.status_code,
          codes: codesOf(response?.content?.$base64),
          isForm: /form/.test(request?.headers?.['Content-Type']?.[0] ?? ''),
        })
      }
  }
  return failures
}

/** Returns the codes of the field errors of a reply, or the code of the problem if it is not `invalid_request`. */
function codesOf(base64: string | undefined): string[] {
  try {
    const body = JSON.parse(Buffer.from(base64 ?? '', 'base64').toString('utf8')) as {
      code?: string
      errors?: { code: string }[]
    }
    if (body.code === 'invalid_request') return [...new Set((body.errors ?? []).map(({ code }) => code))]
    return body.code === undefined ? [] : [body.code]
  } catch {
    return []
  }
}
