/**
 * The state of a rate limit, from the headers `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export interface RateLimit {
  /** The name of the policy. */
  policy: string
  /** The number of requests that are left. */
  remaining: number
  /** Seconds until requests become available again. */
  reset: number | undefined
  /** The number of requests that the policy allows in its window. */
  limit: number | undefined
  /** The window of the policy in seconds. */
  window: number | undefined
}

/** Reads a list of strings with integer parameters, as in `"account";r=50;t=30` (RFC 9651). */
function itemsOf(header: string | null): { name: string; parameters: Record<string, number> }[] {
  return [...(header ?? '').matchAll(/"([^"]*)"((?:\s*;\s*[a-z]+=[^;,\s]+)*)/g)].map(([, name, parameters]) => ({
    name: name!,
    parameters: Object.fromEntries(
      [...parameters!.matchAll(/([a-z]+)=(\d+)/g)].map(([, key, value]) => [key, Number(value)]),
    ),
  }))
}

/** Returns the rate limit with the fewest requests left; undefined if the response contains no rate limit. */
export function rateLimitOf(headers: Headers): RateLimit | undefined {
  const policies = new Map(itemsOf(headers.get('ratelimit-policy')).map(({ name, parameters }) => [name, parameters]))
  const [tightest] = itemsOf(headers.get('ratelimit'))
    .flatMap(({ name, parameters: { r, t } }) => (r === undefined ? [] : [{ name, remaining: r, reset: t }]))
    .sort((a, b) => a.remaining - b.remaining)
  if (!tightest) return undefined
  const { name, remaining, reset } = tightest
  return { policy: name, remaining, reset, limit: policies.get(name)?.q, window: policies.get(name)?.w }
}
