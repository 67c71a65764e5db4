/** What proxies add to an ETag when they compress a reply: `"tag-gzip"` (Apache, Caddy), `"tag--gzip"` (Jetty). */
const COMPRESSION_SUFFIX = /(?:--?|[;:])(?:x-)?(?:gzip|br|zstd|deflate)(?="$)/

/**
 * Returns whether a list of ETags contains this ETag (RFC 9110, 8.8.3.2, weak comparison). Proxies that compress a reply
 * mark its ETag as weak or add the name of the compression; both are ignored.
 */
export const hasTag = (header: string, etag: string): boolean =>
  header.split(',').some((listed) => {
    const tag = listed.trim().replace(/^W\//i, '')
    return tag === '*' || tag === etag || tag.replace(COMPRESSION_SUFFIX, '') === etag
  })
