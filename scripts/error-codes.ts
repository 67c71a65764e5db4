import { HttpError, httpErrorCodes } from '../src/api/engine/http-error.ts'
import { fieldErrorCodes } from '../src/domain/field-error.ts'
import { Problem, problemCodes } from '../src/domain/problem.ts'

/** A code of an error, as the contract lists it under `x-error-codes`. */
export interface ErrorCode {
  code: string
  status: number
  meaning: string
}

/** A code of an error in a field. */
export interface FieldCode {
  code: string
  meaning: string
  /** Whether a request that matches the contract can cause this error, because only the service can detect it. */
  service: boolean
}

export interface ErrorCodes {
  problems: ErrorCode[]
  fields: FieldCode[]
}

/** Codes that the server returns only in tests, because it checks its replies against the contract only in tests. */
const TEST_ONLY = new Set(['contract_broken'])

const replyContext = { instance: '/', path: '/', requestId: '', operationId: '' }

/** Returns every error code, with the name and the status that a version of the API uses for it. */
export async function errorCodesOf(version: string): Promise<ErrorCodes> {
  const { errorReply } = await import(`../src/api/${version}/http-error.ts`)
  const codes = new Map<string, ErrorCode>()
  const add = (problem: Problem, meaning: string) => {
    const { status, body } = errorReply(problem, replyContext)
    codes.set(body.code, { code: body.code, status, meaning })
  }
  for (const code of Object.keys(httpErrorCodes) as (keyof typeof httpErrorCodes)[]) {
    if (!TEST_ONLY.has(code)) add(new HttpError(code, ''), httpErrorCodes[code][1])
  }
  for (const [code, [kind, meaning]] of Object.entries(problemCodes)) add(new Problem(kind, code, ''), meaning)
  return {
    problems: [...codes.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1)),
    fields: Object.entries(fieldErrorCodes).map(([code, { meaning, ...rest }]) => ({
      code,
      meaning,
      service: 'service' in rest,
    })),
  }
}

/** Replaces the markers `<!-- error codes -->` and `<!-- field error codes -->` of a guide with tables. */
export const withErrorTables = (guide: string, { problems, fields }: ErrorCodes): string =>
  guide
    .replace(
      '<!-- error codes -->',
      () =>
        `| Code | Status | Meaning |\n|---|---|---|\n${problems
          .map(({ code, status, meaning }) => `| \`${code}\` | ${status} | ${meaning} |`)
          .join('\n')}`,
    )
    .replace(
      '<!-- field error codes -->',
      () =>
        `| Code | Meaning |\n|---|---|\n${fields.map(({ code, meaning }) => `| \`${code}\` | ${meaning} |`).join('\n')}`,
    )
