/**
 * Returns whether a list of ETags contains this ETag. Proxies that compress a reply mark its ETag as weak; the mark is
 * ignored.
 */
export const hasTag = (header: string, etag: string): boolean =>
  header.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')))
