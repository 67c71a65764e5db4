import { type Html, html } from '../../lib/html.ts'
import type { Letter, Mailbox } from '../../lib/mailer.ts'
import { fillTokens, type TokenValues } from './tokens.ts'

/** What an e-mail says to all its recipients. */
export interface Writing {
  sender: Mailbox
  subject: string
  message: string
  footer: string | null
}

const LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?')\]]/g

/** Text as markup: paragraphs at empty lines, and addresses as links. */
function markup(text: string): Html {
  const linked = (line: string) => {
    const parts: (Html | string)[] = []
    let at = 0
    for (const { 0: address, index } of line.matchAll(LINK)) {
      parts.push(line.slice(at, index), html`<a href="${address}">${address}</a>`)
      at = index + address.length
    }
    return [...parts, line.slice(at)]
  }
  return html`${text
    .split(/\n{2,}/)
    .map((paragraph) => html`<p>${paragraph.split('\n').map((line, at) => [at > 0 && html`<br>`, linked(line)])}</p>\n`)}`
}

const documentOf = (text: string, footer: string): string =>
  `${html`<!doctype html>
<html><head><meta charset="utf-8"></head><body>
${markup(text)}${footer && html`<hr>\n<div style="color:#666;font-size:small">${markup(footer)}</div>`}
</body></html>
`}`

/** One recipient's message: text and the same as HTML, with a way out by one click (RFC 8058). */
export function letterOf(
  { sender, subject, message, footer }: Writing,
  values: TokenValues,
  { messageId, date }: { messageId: string; date: Date },
): Letter {
  const text = fillTokens(message.replace(/\r\n?/g, '\n'), values)
  const below = fillTokens(footer ?? '', values)
  return {
    messageId,
    date,
    from: sender,
    to: { name: values.name, address: values.email },
    subject: fillTokens(subject, values).replace(/\p{Cc}+/gu, ' '),
    text: below ? `${text}\n\n-- \n${below}\n` : `${text}\n`,
    html: documentOf(text, below),
    headers: {
      'List-Unsubscribe': `<${values.unsubscribeLink}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}
