/** The parameters of an OAuth request. */
export interface Parameters {
  /** By name, the first of each; one without a value counts as left out (RFC 6749, 3.1 and 3.2). */
  values: Readonly<Record<string, string>>
  /** Those that came more than once, which none may (the same sections). */
  repeated: readonly string[]
}

/** Parameters from a query. */
export function parametersOf(pairs: Iterable<readonly [name: string, value: string]>): Parameters {
  const values: Record<string, string> = Object.create(null)
  const seen = new Set<string>()
  const repeated: string[] = []
  for (const [name, value] of pairs) {
    if (seen.has(name)) repeated.push(name)
    else if (value !== '') values[name] = value
    seen.add(name)
  }
  return { values, repeated }
}

/** Parameters from a body that was read: a form's, where a repeated name is a list, or an object of JSON. */
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
