/**
 * Conversion of the texts of a form. ODK shows labels with Markdown and some HTML; texts of surveys are plain text. Only
 * what ODK would read as formatting is removed, so that `<name>`, `a**b` and `# of children` stay.
 */

/** The elements that ODK and KoboToolbox render, and those that authors paste from word processors. */
const ELEMENTS =
  'a|abbr|address|article|b|big|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|label|li|mark|ol|p|pre|q|s|samp|section|small|span|strike|strong|style|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var'
const TAG = new RegExp(`</?(${ELEMENTS})(?=[\\s/>])[^<>]{0,1000}>`, 'gi')
/** Elements after which, or in place of which, a line ends. */
const LINE_ELEMENTS =
  /^(?:address|article|blockquote|br|center|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i
const CELL_ELEMENTS = /^t[dh]$/i

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Emphasis, but only where its marks are at the edges of words. The marks that end it are the next ones. */
const EMPHASIS = ['**', '__', '*', '_'].map((mark) => {
  const sign = mark[0] === '*' ? '\\*' : '_'
  const marks = sign.repeat(mark.length)
  const isOutside = `[\\p{L}\\p{N}${sign}]`
  return new RegExp(`(?<!${isOutside})${marks}(?=\\S)([^${sign}\\n]{0,999}[^${sign}\\s])${marks}(?!${isOutside})`, 'gu')
})

/**
 * Returns a label as plain text: elements and emphasis are removed, line elements become line breaks, and links are
 * written as `text (address)`.
 */
export function plainLabel(text: string): string {
  const withoutTags = text.replace(TAG, (_, name: string) =>
    LINE_ELEMENTS.test(name) ? '\n' : CELL_ELEMENTS.test(name) ? ' ' : '',
  )
  const linked = withoutTags.replace(
    /!?\[([^\][\n]{1,1000})\]\((https?:\/\/[^\s()]{1,1000})\)/g,
    (_, label: string, url: string) => (label === url ? url : `${label} (${url})`),
  )
  const unescaped = EMPHASIS.reduce((result, pattern) => result.replace(pattern, '$1'), linked)
    // `# of children` is a label about a number, and no heading.
    .replace(/^#{1,6} (?=\s*[^\s\p{Ll}])/gmu, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name]!)
  const isChanged = withoutTags !== text
  return (isChanged ? unescaped.replace(/[ \t]*\n[ \t]*/g, '\n').replace(/\n{3,}/g, '\n\n') : unescaped).trim()
}

/**
 * Straightens typographic quotes and collapses spaces, as pyxform does in all cells. Labels keep theirs.
 */
export const plainCell = (text: string): string =>
  text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replaceAll('\u00a0', ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
