import { html } from '../../lib/html.ts'
import { linkedText } from '../../lib/linked-text.ts'
import type { Letter } from '../../lib/mailer.ts'
import { fillTokens, type TokenValues } from './tokens.ts'

/** What an e-mail says to all its recipients. */
export interface Writing {
  from: Pick<Letter, 'from' | 'replyTo'>
  subject: string
  message: string
  footer: string | null
  /** Of our own words in the footer. */
  language: string
}

const documentOf = (text: string, footer: string, language: string): string =>
  `${html`<!doctype html>
<html><head><meta charset="utf-8"></head><body>
${linkedText(text)}${footer && html`<hr>\n<div lang="${language}" style="color:#666;font-size:small">${linkedText(footer)}</div>`}
</body></html>
`}`

/** One recipient's message: text and the same as HTML, with a way out by one click (RFC 8058). */
export function letterOf(
  { from, subject, message, footer, language }: Writing,
  values: TokenValues,
  { messageId, date }: { messageId: string; date: Date },
): Letter {
  const text = fillTokens(message.replace(/\r\n?/g, '\n'), values)
  const below = fillTokens(footer ?? '', values)
  return {
    messageId,
    date,
    ...from,
    to: { name: values.name, address: values.email },
    subject: fillTokens(subject, values).replace(/\p{Cc}+/gu, ' '),
    text: below ? `${text}\n\n-- \n${below}\n` : `${text}\n`,
    html: documentOf(text, below, language),
    headers: {
      'List-Unsubscribe': `<${values.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}
