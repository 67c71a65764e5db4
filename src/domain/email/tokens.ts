import { type Html, html, trusted } from '../../lib/html.ts'

/** The token that is replaced by the recipient's link to the survey. Every message contains it (docs/specification.md 9.4). */
export const INVITE_LINK = '[Invite Link]'
export const UNSUBSCRIBE_LINK = '[Unsubscribe Link]'

/** What the tokens of a message stand for, for one recipient. */
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
 * Puts values into the places of a text, once: a value is never read as a token itself. A custom field that the contact
 * does not have is empty; any other bracket stays as it is.
 */
export function fillTokens(text: string, { inviteLink, unsubscribeLink, name, email, custom }: TokenValues): string {
  return text.replace(TOKEN, (_, token: string, field: string | undefined) => {
    if (field !== undefined) return Object.hasOwn(custom, field.trim()) ? custom[field.trim()]! : ''
    if (token === 'Invite Link') return inviteLink
    if (token === 'Unsubscribe Link') return unsubscribeLink
    return token === 'Full Name' ? name : email
  })
}

const escaped = (text: string) => `${html`${text}`}`

/** Puts values into the places of cleaned markup, inside attributes too; each value stays text. */
export const fillTokensInHtml = (markup: Html, values: TokenValues): Html =>
  trusted(
    fillTokens(`${markup}`, {
      inviteLink: escaped(values.inviteLink),
      unsubscribeLink: escaped(values.unsubscribeLink),
      name: escaped(values.name),
      email: escaped(values.email),
      custom: Object.fromEntries(Object.entries(values.custom).map((field) => [escaped(field[0]), escaped(field[1])])),
    }),
  )
