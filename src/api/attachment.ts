/** Characters that are safe in a quoted file name (RFC 6266, appendix D). */
const SAFE_NAME = /^[\w .()+,-]*$/

/**
 * Returns the Content-Disposition of a download (RFC 6266). If the name matches {@link SAFE_NAME}, the header contains
 * it unchanged. Otherwise the header contains an ASCII version of the name, and the full name in `filename*` (RFC
 * 8187).
 */
export function attachment(filename: string): string {
  if (SAFE_NAME.test(filename)) return `attachment; filename="${filename}"`
  const plain = filename.replace(/[^\w .()+,-]/gu, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
