import { type Html, html, linkedText, type Part } from '../../lib/html.ts'
import type { InlineImage, MailMessage } from '../../lib/mailer.ts'
import { directionOf } from '../text/catalog.ts'
import { mailWordsFor } from './i18n.ts'
import { LOGO_CID, type MailStyle } from './mail-theme.ts'
import { messageTo, type PreparedMessage } from './message.ts'
import { fillTokens, type TokenValues, withoutAddresses } from './tokens.ts'

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
    to: { name: values.name, address: values.email },
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
