import { OpenAPIBackend, OpenAPIValidator, type Operation, type Request, type ValidationResult } from 'openapi-backend'
import type { Body } from './body.ts'
import { breaches, type Sent } from './check-reply.ts'
import { type RequestCheck, requestCheck, type Values } from './check-request.ts'
import { type Contract, type Endpoint, endpointsOf } from './contract.ts'
import { httpErrors } from './http-error.ts'
import { Router } from './route.ts'
import { Schemas } from './schemas.ts'

/** One request on its way through the engine, which fills in what it finds. */
export interface Call extends Request {
  headers: Request['headers']
  params: Record<string, string>
  /** The raw query string, without its `?`. */
  search: string
  received: Body | undefined
  /** Checked, coerced, defaulted. */
  values: { path: Values; query: Values; headers: Values; body: unknown }
}

const NO_VALUES: Call['values'] = { path: {}, query: {}, headers: {}, body: undefined }

/** A call as it arrives. */
export const callOf = (parts: Pick<Call, 'method' | 'path' | 'search' | 'headers'>): Call => ({
  ...parts,
  params: {},
  received: undefined,
  values: NO_VALUES,
})

/**
 * openapi-backend's validator on one shared Ajv for JSON Schema 2020-12: the shipped one reads draft 7, compiles
 * everything at the start and each schema many times, and does not look at content types.
 */
export class Validator extends OpenAPIValidator {
  readonly #checks = new Map<string, RequestCheck>()
  readonly #replies: Schemas

  constructor(contract: Contract, router: Router) {
    super({ definition: contract as never, router, lazyCompileValidators: true })
    const validators = {
      first: new Schemas(contract, { useDefaults: true }),
      all: new Schemas(contract, { useDefaults: true, allErrors: true }),
    }
    this.#replies = new Schemas(contract, { allErrors: true })
    for (const endpoint of router.endpoints)
      this.#checks.set(endpoint.operationId, requestCheck(contract, endpoint, validators))
  }

  /**
   * Puts the checked parts of a call into its `values`. It throws rather than returns what is wrong, so that a refusal
   * keeps its status: @throws {Refusal} 404 for the path, 415 for the body's type, 400 naming every wrong field.
   */
  override validateRequest(request: Request, operation: Operation | string): ValidationResult {
    const call = request as Call
    const check = this.#checks.get((operation as Operation).operationId!)!
    const path = check.path(call.params)
    const query = check.query(call.search)
    const headers = check.headers(call.headers)
    const body = check.body(call.received)
    const errors = [...query.errors, ...headers.errors, ...body.errors]
    if (errors.length) throw httpErrors.invalid(errors)
    call.values = { path, query: query.values, headers: headers.values, body: body.value }
    return VALID
  }

  /** What an answer breaks of its contract; nothing when it keeps to it. */
  breaches(endpoint: Endpoint, sent: Sent): string[] {
    return breaches(endpoint, this.#replies, sent)
  }
}

const VALID: ValidationResult = { valid: true, errors: null }

/** openapi-backend with our router and validator. Its own definition check knows only OpenAPI 3.0; ours is `make generate`. */
export class Engine extends OpenAPIBackend {
  readonly endpoints: readonly Endpoint[]
  readonly check: Validator

  constructor(contract: Contract, prefix: string) {
    super({ definition: contract as never, apiRoot: prefix, strict: true, quick: true, ignoreTrailingSlashes: false })
    this.endpoints = endpointsOf(contract)
    const router = new Router(contract, prefix, this.endpoints)
    this.check = new Validator(contract, router)
    this.definition = this.document = contract as never
    this.router = router
    this.validator = this.check
    this.initialized = true
  }
}
