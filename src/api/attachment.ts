/** What a quoted file name may hold without being misread (RFC 6266, appendix D). */
const PLAIN = /^[\w .()+,-]*$/

/**
 * The Content-Disposition of a file to be kept under a name: RFC 6266, with `filename*` (RFC 8187) and a plain
 * stand-in for old programs where the name is not plain.
 */
export function attachment(filename: string): string {
  if (PLAIN.test(filename)) return `attachment; filename="${filename}"`
  const plain = filename.replace(/[^\w .()+,-]/gu, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
