/** The parameters of an OAuth request. */
export interface Parameters {
  /** The first value of each name; empty values are omitted (RFC 6749, 3.1 and 3.2). */
  values: Readonly<Record<string, string>>
  /** The repeated names of known parameters, which are errors (RFC 6749, 3.1 and 3.2). */
  repeated: readonly string[]
}

/** The known parameters. Others are ignored, even if they are repeated, as `resource` may be (RFC 8707, 2). */
const NAMES = new Set([
  ...['client_id', 'client_secret', 'redirect_uri', 'scope', 'state', 'response_type'],
  ...['code_challenge', 'code_challenge_method'],
  ...['grant_type', 'code', 'code_verifier', 'refresh_token', 'token', 'token_type_hint'],
])

/** Returns the parameters of a query. */
export function parametersOf(parameters: Iterable<readonly [name: string, value: string]>): Parameters {
  const values: Record<string, string> = Object.create(null)
  const names = new Set<string>()
  const repeated: string[] = []
  for (const [name, value] of parameters) {
    if (!names.has(name) && value !== '') values[name] = value
    else if (names.has(name) && NAMES.has(name)) repeated.push(name)
    names.add(name)
  }
  return { values, repeated }
}

/** Returns the parameters of a parsed body: a form, where a repeated name is a list, or a JSON object. */
export function parametersIn(body: unknown): Parameters {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  return parametersOf(
    members.flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((one) => typeof one === 'string')
        .map((one): [string, string] => [name, one]),
    ),
  )
}
