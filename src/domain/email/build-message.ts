import { type Html, html } from '../../lib/html.ts'
import { linkedText } from '../../lib/linked-text.ts'
import type { MailMessage } from '../../lib/mailer.ts'
import { mailWordsFor } from './i18n.ts'
import { messageTo, type PreparedMessage } from './message.ts'
import { fillTokens, type TokenValues } from './tokens.ts'

/** The content of an email, the same for all recipients. */
export interface EmailContent {
  from: Pick<MailMessage, 'from' | 'replyTo'>
  subject: string
  message: PreparedMessage
  footer: string | null
  /** The language of the footer and the button. */
  language: string
}

const documentOf = (subject: string, message: Html, footer: string, language: string): string =>
  `${html`<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head><body>
${message}${footer && html`<hr>\n<div lang="${language}" style="color:#666;font-size:small">${linkedText(footer)}</div>`}
</body></html>
`}`

/** Returns the message to one recipient as plain text and as HTML, with one-click unsubscription (RFC 8058). */
export function buildEmailMessage(
  { from, subject, message, footer, language }: EmailContent,
  values: TokenValues,
  { messageId, date }: { messageId: string; date: Date },
): MailMessage {
  const button = html`<span lang="${language}">${mailWordsFor(language).words.button}</span>`
  const body = messageTo(message, values, button)
  const subjectLine = fillTokens(subject, values).replace(/\p{Cc}+/gu, ' ')
  const footerText = fillTokens(footer ?? '', values)
  return {
    messageId,
    date,
    ...from,
    to: { name: values.name, address: values.email },
    subject: subjectLine,
    text: footerText ? `${body.text}\n\n-- \n${footerText}\n` : `${body.text}\n`,
    html: documentOf(subjectLine, body.html, footerText, language),
    headers: {
      'List-Unsubscribe': `<${values.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}
