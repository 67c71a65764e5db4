import { type Html, html, trusted } from '../../lib/html.ts'

/**
 * The token that is replaced by the recipient's link to the survey. Every message contains it (docs/specification.md
 * 9.4).
 */
export const INVITE_LINK = '[Invite Link]'
export const UNSUBSCRIBE_LINK = '[Unsubscribe Link]'

/** The values of the tokens of a message for one recipient. */
export interface TokenValues {
  inviteLink: string
  unsubscribeLink: string
  name: string
  email: string
  /** Custom fields of the contact by name. */
  custom: Readonly<Record<string, string>>
}

const TOKEN = /\[(Invite Link|Unsubscribe Link|Full Name|Email|Custom:([^[\]]{1,100}))\]/g

/**
 * Replaces the tokens of a text in one pass, so tokens inside values are not replaced. If the contact does not have a
 * custom field, its token is replaced with an empty text. Other brackets are not changed.
 */
export function fillTokens(text: string, { inviteLink, unsubscribeLink, name, email, custom }: TokenValues): string {
  return text.replace(TOKEN, (_, token: string, field: string | undefined) => {
    if (field !== undefined) return Object.hasOwn(custom, field.trim()) ? custom[field.trim()]! : ''
    if (token === 'Invite Link') return inviteLink
    if (token === 'Unsubscribe Link') return unsubscribeLink
    return token === 'Full Name' ? name : email
  })
}

const escapeHtml = (text: string) => `${html`${text}`}`

/** Replaces the tokens of sanitised HTML, in attributes as well. Each value is escaped. */
export const fillTokensInHtml = (markup: Html, values: TokenValues): Html =>
  trusted(
    fillTokens(`${markup}`, {
      inviteLink: escapeHtml(values.inviteLink),
      unsubscribeLink: escapeHtml(values.unsubscribeLink),
      name: escapeHtml(values.name),
      email: escapeHtml(values.email),
      custom: Object.fromEntries(
        Object.entries(values.custom).map((field) => [escapeHtml(field[0]), escapeHtml(field[1])]),
      ),
    }),
  )
