import { cleanHtml, looksLikeHtml, textOfHtml } from '../../lib/clean-html.ts'
import { type Html, html, linkedText, type Part, trusted } from '../../lib/html.ts'
import type { InlineImage, MailMessage } from '../../lib/mailer.ts'
import { directionOf } from '../text/catalog.ts'
import type { EmailTexts } from './email.ts'
import { mailWordsFor } from './language.ts'
import { LOGO_CID, type MailStyle } from './mail-theme.ts'
import {
  fillTokens,
  fillTokensInHtml,
  hasNoName,
  type TokenValues,
  UNSUBSCRIBE_LINK,
  withoutAddresses,
  withoutTokensInAddresses,
} from './tokens.ts'

/** The content of a message, parsed once for all recipients. */
interface PreparedMessage {
  /** The sanitised HTML; absent for a message of plain text. */
  markup?: Html
  /** The message as plain text. Its tokens are not replaced yet. */
  text: string
}

/** A message to one recipient as plain text and HTML. */
interface Message {
  text: string
  html: Html
}

/** Tags that cause a line break. */
const BLOCK_TAG = /<(?:br|p|div|table|tr|td|ul|ol|li|h[1-6]|blockquote|pre|center|hr|html|body)\b/i

/**
 * Matches a link token, even if an editor has escaped its space. Also matches `href=` before the token, because an
 * unquoted attribute value would end at the space.
 */
const LINK_TOKEN = /(href\s*=\s*)?\[(Invite|Unsubscribe)(?: |%20)Link\]/g

function sanitise(message: string): Html {
  const markup = message.replace(LINK_TOKEN, (_, bare: string | undefined, kind: string) =>
    bare ? `href="[${kind} Link]"` : `[${kind} Link]`,
  )
  return cleanHtml(BLOCK_TAG.test(markup) ? markup : markup.replace(/\r\n?|\n/g, '<br>\n'))
}

const TAG_OR_TOKEN =
  /<(\/?)([a-z][a-z0-9]*)[^>]*>|\[(?:Invite|Unsubscribe) Link\](?:(?:&amp;|[?/#])(?:&amp;|\[(?:Full Name|Email|Custom:[^[\]]{1,100})\]|[^\s<>"&[\]])*)?/g

/** Makes links of the link tokens in the text of sanitised HTML, except inside other links. */
function withLinks(markup: string): string {
  let isLink = false
  return markup.replace(TAG_OR_TOKEN, (match, end: string | undefined, tag: string | undefined) => {
    if (tag === 'a') isLink = !end
    if (tag !== undefined || isLink) return match
    const address = match.replace(/[.,;:!?')]+$/, '')
    return `<a href="${address}">${address}</a>${match.slice(address.length)}`
  })
}

/**
 * Parses a message: returns its sanitised HTML and its plain text.
 * @param anonymous whether the survey is anonymous; then the addresses in the message contain no personal values
 */
export function prepareMessage(message: string, anonymous = false): PreparedMessage {
  const own = anonymous ? withoutTokensInAddresses : (text: string) => text
  if (!looksLikeHtml(message)) return { text: own(message.replace(/\r\n?/g, '\n')) }
  const markup = `${sanitise(message)}`
  return { markup: trusted(own(withLinks(markup))), text: own(textOfHtml(markup)) }
}

/**
 * Returns whether a token is visible in a message. In HTML, a token can be invisible: in a comment, or in markup that
 * is removed.
 */
export function hasToken(message: string, token: string): boolean {
  const { markup, text } = prepareMessage(message)
  return `${markup ?? text}`.includes(token)
}

/** Matches the token of a personal value inside an attribute. There, the value could form an unsafe URL. */
const VALUE_IN_ATTRIBUTE = /="[^"]*\[(?:Full Name|Email|Custom:)/

/**
 * Returns a message to one recipient. Plain text is formatted, with a button that opens the survey.
 * @param button the label of the button
 */
function messageTo({ markup, text }: PreparedMessage, values: TokenValues, button: Html, style: MailStyle): Message {
  const filled = fillTokens(text, values)
  if (!markup) return { text: filled, html: withButton(filled, values.inviteLink, button, style) }
  const html = fillTokensInHtml(markup, values)
  return { text: filled, html: VALUE_IN_ATTRIBUTE.test(`${markup}`) ? cleanHtml(`${html}`) : html }
}

/** Replaces the invite link on a separate line with the button. Without such a line, the button comes last. */
function withButton(text: string, inviteLink: string, button: Html, { colors, buttonRadius }: MailStyle): Html {
  const isLink = (line: string) => line.trim() === inviteLink
  const lines = text.split('\n')
  const blocks = lines.some(isLink) ? blocksOf(lines, isLink) : [text, inviteLink]
  const style = `display:inline-block;padding:12px 24px;border-radius:${buttonRadius};background-color:${colors.fill};color:${colors['on-fill']};font-weight:bold;text-decoration:none`
  // Some mail programs ignore the padding of a link but show the colour of a table cell.
  const linkButton = html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0"><tr><td bgcolor="${colors.fill}" style="border-radius:${buttonRadius}"><a href="${inviteLink}" style="${style}">${button}</a></td></tr></table>
`
  return html`${blocks.map((block) => (block === inviteLink ? linkButton : linkedText(block)))}`
}

/** Joins lines into blocks; a line that matches `isSeparate` is a separate block. */
function blocksOf(lines: readonly string[], isSeparate: (line: string) => boolean): string[] {
  const blocks: string[] = []
  let start = 0
  for (const [index, line] of lines.entries()) {
    if (!isSeparate(line)) continue
    blocks.push(lines.slice(start, index).join('\n'), line.trim())
    start = index + 1
  }
  return [...blocks, lines.slice(start).join('\n')].filter((block) => block.trim() !== '')
}

/**
 * The content of an email before its tokens are replaced. Only the language and the footer can differ between
 * recipients.
 */
export interface EmailContent {
  from: Pick<MailMessage, 'from' | 'replyTo'>
  subject: string
  message: PreparedMessage
  /** Whether the survey is anonymous. Personal values that are addresses are then left out. */
  anonymous?: boolean
  footer: string | null
  /** The language of the footer and the button. */
  language: string
  style: MailStyle
  /** The logo. */
  image?: InlineImage | undefined
}

/** The content of an email in a further language. */
export type TranslatedContent = Pick<EmailContent, 'subject' | 'message' | 'footer'>

/** Prepares the content of an email in a further language. Only whether there is a footer counts, not its language. */
export const translatedContent = ({ subject, message }: EmailTexts, anonymous: boolean): TranslatedContent => ({
  subject,
  message: prepareMessage(message, anonymous),
  footer: hasToken(message, UNSUBSCRIBE_LINK) ? null : mailWordsFor('en').words.footer,
})

const documentOf = (subject: string, body: Html): string =>
  `${html`<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light"><title>${subject}</title></head>${body}
</html>
`}`

/** Renders a message that its author wrote in HTML. The message does not get the theme of the survey. */
const plainFrame = (message: Html, footer: string, attributes: Part): Html => html`<body>
${message}${footer && html`<hr>\n<div${attributes} style="color:#666;font-size:small">${linkedText(footer)}</div>`}
</body>`

/** Renders a message of plain text with the theme of the survey. */
function themedFrame(message: Html, footer: string, attributes: Part, style: MailStyle): Html {
  const { colors, fontFamily, cardRadius, logo } = style
  const page = `margin:0;padding:0;background-color:${colors.paper}`
  const card = `padding:24px;border-radius:${cardRadius};background-color:${colors.card};color:${colors.ink}`
  return html`<body style="${page}">
<div style="${page}"><div style="max-width:600px;margin:0 auto;padding:24px 16px;font:16px/1.5 ${fontFamily};color:${colors.ink}">
${
  logo &&
  html`<p style="margin:0 0 16px"><img src="cid:${LOGO_CID}" width="${logo.width}" height="${logo.height}" alt="${logo.text}" style="display:block;border:0"></p>
`
}<div dir="auto" style="${card}">
${message}</div>
${footer && html`<div${attributes} style="padding:16px 24px 0;color:${colors.soft};font-size:small">${linkedText(footer)}</div>`}</div></div>
</body>`
}

/** Returns the message to one recipient as plain text and as HTML, with one-click unsubscription (RFC 8058). */
export function buildEmailMessage(
  { from, subject, message, anonymous = false, footer, language, style, image }: EmailContent,
  recipient: TokenValues,
  { messageId, date }: { messageId: string; date: Date },
): MailMessage {
  const values = anonymous ? withoutAddresses(recipient) : recipient
  const button = html`<span lang="${language}">${mailWordsFor(language).words.button}</span>`
  const body = messageTo(message, values, button, style)
  const subjectLine = fillTokens(subject, values).replace(/\p{Cc}+/gu, ' ')
  const footerText = fillTokens(footer ?? '', values)
  const attributes = html` lang="${language}"${directionOf(language) === 'rtl' && html` dir="rtl"`}`
  const frame = message.markup
    ? plainFrame(body.html, footerText, attributes)
    : themedFrame(body.html, footerText, attributes, style)
  return {
    messageId,
    date,
    ...from,
    to: { name: hasNoName(values) ? '' : values.name, address: values.email },
    subject: subjectLine,
    text: footerText ? `${body.text}\n\n-- \n${footerText}\n` : `${body.text}\n`,
    html: documentOf(subjectLine, frame),
    ...(image && !message.markup && { images: [image] }),
    headers: {
      'List-Unsubscribe': `<${values.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}
