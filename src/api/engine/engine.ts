import { OpenAPIBackend, OpenAPIValidator, type Operation, type Request, type ValidationResult } from 'openapi-backend'
import { lazy } from '../../lib/lazy.ts'
import type { Body } from './body.ts'
import { type RequestCheck, requestCheck, type Values } from './check-request.ts'
import { type Contract, type Endpoint, endpointsOf, requestContract, Schemas } from './contract.ts'
import { httpErrors } from './http-error.ts'
import { type SentReply, violations } from './reply.ts'
import { Router } from './route.ts'

/** A request with the data that the engine adds to it. */
export interface Call extends Request {
  headers: Request['headers']
  params: Record<string, string>
  /** The raw query string, without its `?`. */
  search: string
  received: Body | undefined
  /** Validated and coerced, with defaults. */
  values: { path: Values; query: Values; headers: Values; body: unknown }
}

const NO_VALUES: Call['values'] = { path: {}, query: {}, headers: {}, body: undefined }

/** Returns a call for a request that is not routed yet. */
export const callOf = (parts: Pick<Call, 'method' | 'path' | 'search' | 'headers'>): Call => ({
  ...parts,
  params: {},
  received: undefined,
  values: NO_VALUES,
})

/**
 * A validator for openapi-backend that uses one shared Ajv instance for JSON Schema 2020-12. The validator of
 * openapi-backend supports only draft 7, compiles all schemas at startup (some of them many times), and does not take
 * the content type into account.
 */
export class Validator extends OpenAPIValidator {
  readonly #checks = new Map<string, () => RequestCheck>()
  readonly #replies: Schemas

  /**
   * @param contract the contract by which replies are checked
   * @param forRequests the contract by which requests are checked
   */
  constructor(contract: Contract, forRequests: Contract, router: Router) {
    super({ definition: contract as never, router, lazyCompileValidators: true })
    const validators = {
      first: new Schemas(forRequests, { useDefaults: true }),
      all: new Schemas(forRequests, { useDefaults: true, allErrors: true }),
    }
    this.#replies = new Schemas(contract, { allErrors: true })
    for (const endpoint of router.endpoints)
      this.#checks.set(
        endpoint.operationId,
        lazy(() => requestCheck(forRequests, contract, endpoint, validators)),
      )
  }

  /**
   * Validates a call and stores the results in its `values`. Throws errors instead of returning them, because a
   * returned error has no status.
   * @throws {HttpError} 404 for an invalid path parameter, 415 for an unsupported media type of the body, 400 with all
   *   invalid fields otherwise
   */
  override validateRequest(request: Request, operation: Operation | string): ValidationResult {
    const call = request as Call
    const check = this.#checks.get((operation as Operation).operationId!)!()
    const path = check.path(call.params)
    const query = check.query(call.search)
    const headers = check.headers(call.headers)
    const body = check.body(call.received)
    const errors = [...query.errors, ...headers.errors, ...body.errors]
    if (errors.length) throw httpErrors.invalid(errors)
    call.values = { path, query: query.values, headers: headers.values, body: body.value }
    return VALID
  }

  /** Returns the query values of a request without a query string: the defaults of the parameters. */
  defaultQuery(operationId: string): Values {
    return this.#checks.get(operationId)!().query('').values
  }

  /** Returns the ways in which a reply violates the contract; an empty list if it is valid. */
  violations(endpoint: Pick<Endpoint, 'operationId' | 'replies'>, reply: SentReply): string[] {
    return violations(endpoint, this.#replies, reply)
  }
}

const VALID: ValidationResult = { valid: true, errors: null }

interface CompiledContract {
  endpoints: readonly Endpoint[]
  router: Router
  check: Validator
}

/** Compiling the schemas of a contract takes longer than anything else at start, so it is done once a process. */
const compiledContracts = new WeakMap<Contract, CompiledContract>()

function compile(contract: Contract, prefix: string): CompiledContract {
  const forRequests = requestContract(contract)
  const endpoints = endpointsOf(forRequests)
  const router = new Router(contract, prefix, endpoints)
  return { endpoints, router, check: new Validator(contract, forRequests, router) }
}

/**
 * openapi-backend with the router and the validator of this folder. `make generate` validates the contract, because
 * openapi-backend cannot validate OpenAPI 3.1.
 */
export class Engine extends OpenAPIBackend {
  readonly endpoints: readonly Endpoint[]
  readonly check: Validator

  constructor(contract: Contract, prefix: string) {
    super({ definition: contract as never, apiRoot: prefix, strict: true, quick: true, ignoreTrailingSlashes: false })
    const compiled = compiledContracts.get(contract) ?? compile(contract, prefix)
    compiledContracts.set(contract, compiled)
    this.endpoints = compiled.endpoints
    this.check = compiled.check
    this.definition = this.document = contract as never
    this.router = compiled.router
    this.validator = this.check
    this.initialized = true
  }
}
