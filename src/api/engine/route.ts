import { OpenAPIRouter, type Operation, type ParsedRequest, type Request } from 'openapi-backend'
import type { Contract, Endpoint } from './contract.ts'
import { httpErrors } from './http-error.ts'
import { characterError } from './text-safety.ts'

/**
 * A node of the path tree. It has a child for each literal segment, and a child for a parameter if a path has one here.
 */
interface Node {
  literals: Map<string, Node>
  parameter: Node | undefined
  /**
   * Undefined unless a path ends at this node. Contains the names of the path's parameters in order, and its operations
   * by method.
   */
  end: { names: string[]; methods: Map<string, Endpoint>; allowed: string[] } | undefined
}
const createNode = (): Node => ({ literals: new Map(), parameter: undefined, end: undefined })

/** An operation and the decoded parameters of its path. */
export interface Match {
  endpoint: Endpoint
  params: Record<string, string>
}

/**
 * A router for openapi-backend that looks paths up in a tree. The router of openapi-backend itself compiles all paths
 * for each request. Literal segments take precedence over parameters. A trailing slash is optional; a double slash
 * matches no operation.
 */
export class Router extends OpenAPIRouter {
  readonly endpoints: readonly Endpoint[]
  readonly #ids: ReadonlyMap<string, Endpoint>
  readonly #root = createNode()

  constructor(contract: Contract, prefix: string, endpoints: readonly Endpoint[]) {
    super({ definition: contract as never, apiRoot: prefix, ignoreTrailingSlashes: false })
    this.endpoints = endpoints
    this.#ids = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]))
    for (const endpoint of endpoints) this.#add(endpoint)
  }

  #add(endpoint: Endpoint): void {
    const names: string[] = []
    let node = this.#root
    for (const segment of segmentsOf(endpoint.path)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1]
      let next = name ? node.parameter : node.literals.get(segment)
      if (!next) {
        next = createNode()
        if (name) node.parameter = next
        else node.literals.set(segment, next)
      }
      if (name) names.push(name)
      node = next
    }
    node.end ??= { names, methods: new Map(), allowed: [] }
    node.end.methods.set(endpoint.method, endpoint)
    node.end.allowed.push(...(endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]))
  }

  /**
   * Finds the operation of a path.
   * @param path without the prefix of the version, percent-encoded
   * @throws {HttpError} 404 if no path matches or `path` is not percent-encoded UTF-8; 405 with `Allow` if the path
   *   does not have the method
   */
  find(method: string, path: string): Match {
    const segments = path.includes('%') ? segmentsOf(path).map(decodeSegment) : segmentsOf(path)
    const values: string[] = []
    const end = descend(this.#root, segments, 0, values)
    if (!end) throw httpErrors.noSuchOperation()
    const endpoint = end.methods.get(method) ?? (method === 'HEAD' ? end.methods.get('GET') : undefined)
    if (!endpoint) throw httpErrors.methodNotAllowed(method, end.allowed)
    const params: Record<string, string> = {}
    for (let index = 0; index < end.names.length; index++) params[end.names[index]!] = values[index]!
    return { endpoint, params }
  }

  /**
   * Calls {@link find} and stores the parameters in the request. The caller has already checked that the path begins
   * with the prefix.
   */
  override matchOperation(request: Request): Operation {
    const { endpoint, params } = this.find(request.method, request.path.slice(this.apiRoot.length))
    request.params = params
    return endpoint as unknown as Operation
  }

  override getOperations(): Operation[] {
    return this.endpoints as unknown as Operation[]
  }

  override getOperation(operationId: string): Operation | undefined {
    return this.#ids.get(operationId) as unknown as Operation | undefined
  }

  /** Returns the request itself, which is already parsed. */
  override parseRequest(request: Request): ParsedRequest {
    return request as unknown as ParsedRequest
  }
}

/** `/surveys/7/` and `/surveys/7` → `['', 'surveys', '7']`. */
const segmentsOf = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : path).split('/')

function decodeSegment(segment: string): string {
  let text: string
  try {
    text = decodeURIComponent(segment)
  } catch {
    throw httpErrors.noSuchOperation()
  }
  if (characterError(text)) throw httpErrors.noSuchOperation()
  return text
}

function descend(node: Node, segments: readonly string[], index: number, values: string[]): Node['end'] {
  if (index === segments.length) return node.end
  const segment = segments[index]!
  const literal = node.literals.get(segment)
  const literalEnd = literal && descend(literal, segments, index + 1, values)
  if (literalEnd) return literalEnd
  if (!node.parameter || segment === '') return undefined
  values.push(segment)
  const end = descend(node.parameter, segments, index + 1, values)
  if (!end) values.pop()
  return end
}
