/** Maximum length including the suffix. */
const MAX_SLUG_CHARACTERS = 80

/**
 * Converts the name of a survey to lower case letters and digits joined by dashes. Removes accents (`Café` → `cafe`).
 * Keeps letters of other scripts, because URLs may contain them percent-encoded.
 */
export function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return (
    Array.from(slug.normalize('NFC'))
      .slice(0, MAX_SLUG_CHARACTERS - 10)
      .join('')
      .replace(/-+$/, '') || 'survey'
  )
}

/** Returns the first of `slug`, `slug-1`, `slug-2` … that is not in use (docs/specification.md 1.4). */
export function availableSlug(slug: string, usedSlugs: ReadonlySet<string>): string {
  if (!usedSlugs.has(slug)) return slug
  let suffix = 1
  while (usedSlugs.has(`${slug}-${suffix}`)) suffix += 1
  return `${slug}-${suffix}`
}
