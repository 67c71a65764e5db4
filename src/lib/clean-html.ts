import type { IOptions } from 'sanitize-html'
import { type Html, trusted } from './html.ts'
import { lazy, loadPackage } from './lazy.ts'

const sanitizeHtml = lazy(() => {
  const sanitize = loadPackage<typeof import('sanitize-html')>('sanitize-html')
  const options = { ...OPTIONS, allowedTags: [...sanitize.defaults.allowedTags, 'img', 'font', 'center'] }
  return (text: string) => sanitize(text, options)
})
const htmlToText = lazy(() => loadPackage<typeof import('html-to-text')>('html-to-text'))

const TAG_NAMES =
  'a|abbr|b|blockquote|body|br|center|code|div|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|s|small|span|strong|style|sub|sup|table|tbody|td|th|thead|tr|u|ul'
const TAG = new RegExp(
  String.raw`<!doctype html|</?(?:${TAG_NAMES})(?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))*\s*/?>`,
  'i',
)

/**
 * Returns whether a text contains a tag of `TAG_NAMES` or an HTML doctype. Addresses in angle brackets and comparisons
 * are not tags.
 */
export const looksLikeHtml = (text: string): boolean => TAG.test(text)

/** Maximum depth of nested elements. */
const MAX_DEPTH = 100

// Accepted values of CSS properties.
const SIZE = /^[\d.]+(?:px|em|rem|pt|%)?(?:\s+(?:[\d.]+(?:px|em|rem|pt|%)?|auto)){0,3}$|^auto$/
const WORD = /^[a-z-]+$/i
const COLOUR = /^#[0-9a-f]{3,8}$|^[a-z]+$|^rgba?\([\d\s.,%]+\)$/i
const BORDER = /^(?:[\d.]+(?:px|em)?\s+)?[a-z]+(?:\s+(?:#[0-9a-f]{3,8}|[a-z]+))?$/i

/**
 * Elements and attributes that emails may have. They contain no scripts, load nothing without a click except images,
 * and cover no other content.
 */
const OPTIONS: Omit<IOptions, 'allowedTags'> = {
  allowedAttributes: {
    '*': ['style', 'align', 'valign', 'dir', 'lang', 'title', 'width', 'height', 'bgcolor', 'role'],
    a: ['href', 'name'],
    img: ['src', 'alt', 'border'],
    font: ['color', 'face', 'size'],
    table: ['border', 'cellpadding', 'cellspacing'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedStyles: {
    '*': {
      color: [COLOUR],
      'background-color': [COLOUR],
      'text-align': [WORD],
      'text-decoration': [WORD],
      'vertical-align': [WORD],
      'font-family': [/^[\w\s,'"-]+$/],
      'font-size': [SIZE, WORD],
      'font-style': [WORD],
      'font-weight': [/^\d{3}$/, WORD],
      'line-height': [SIZE, WORD],
      display: [/^(?:block|inline|inline-block)$/],
      width: [SIZE],
      'max-width': [SIZE],
      height: [SIZE],
      ...Object.fromEntries(
        ['margin', 'padding'].flatMap((name) =>
          ['', '-top', '-right', '-bottom', '-left'].map((side) => [name + side, [SIZE]]),
        ),
      ),
      border: [BORDER],
      'border-radius': [SIZE],
      'border-collapse': [WORD],
    },
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title'],
  nestingLimit: MAX_DEPTH,
}

/**
 * Sanitises HTML. Removes the elements of `nonTextTags`, such as scripts, with their content. Removes other elements
 * and links that `OPTIONS` does not allow, but keeps their text.
 */
export const cleanHtml = (text: string): Html => trusted(sanitizeHtml()(text))

/** Returns HTML as plain text. The URL of a link comes after its text. */
export const textOfHtml = (text: string): string =>
  htmlToText().convert(text, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['<', '>'] } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      ...['td', 'th'].map((selector) => ({ selector, format: 'block' })),
    ],
  })
