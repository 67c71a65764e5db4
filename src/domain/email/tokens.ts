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
 * Matches the name in a greeting, with what would be left over without it: the space and the comma before it, an honorific
 * and a comma after it at the beginning of a line.
 */
const NAME_IN_GREETING =
  /(?<=^|\n|>)\[Full Name\](?:[ \u3000]*(?:様|님))?[,，、]?[ ]*|(?:[,،，]?[ \u00a0]+)?\[Full Name\](?:[ \u3000]*(?:様|님))?/g

/** Returns whether a contact has no name: the address book then shows the address in its place. */
export const hasNoName = ({ name, email }: Pick<TokenValues, 'name' | 'email'>): boolean =>
  name.trim() === '' || name.trim().toLowerCase() === email.toLowerCase()

/**
 * Replaces the tokens of a text in one pass, so tokens inside values are not replaced. A contact without a name is greeted
 * without the address. If the contact does not have a
 * custom field, its token is replaced with an empty text. Other brackets are not changed.
 */
export function fillTokens(text: string, values: TokenValues): string {
  const { inviteLink, unsubscribeLink, name, email, custom } = values
  const greeting = hasNoName(values) ? text.replace(NAME_IN_GREETING, '') : text
  return greeting.replace(TOKEN, (_, token: string, field: string | undefined) => {
    if (field !== undefined) return Object.hasOwn(custom, field.trim()) ? custom[field.trim()]! : ''
    if (token === 'Invite Link') return inviteLink
    if (token === 'Unsubscribe Link') return unsubscribeLink
    return token === 'Full Name' ? name : email
  })
}

const PERSONAL_TOKEN = String.raw`\[(?:Full Name|Email|Custom:[^[\]]{1,100})\]`
const LINK_TOKEN = String.raw`\[(?:Invite|Unsubscribe) Link\]`
const IN_ADDRESS = String.raw`(?:${PERSONAL_TOKEN}|${LINK_TOKEN}|[^\s<>"])*`
const ADDRESS = new RegExp(
  String.raw`(?:${LINK_TOKEN}|\b[a-z][a-z0-9+.-]{0,20}://|\bmailto:|\bwww\.)${IN_ADDRESS}`,
  'gi',
)
/** Attributes of sanitised HTML, except those whose value is a text. */
const ATTRIBUTE = / (?!alt=|title=)[a-z-]+="[^"]*"/g
const OWN_LINK = new RegExp(`^(?: [a-z-]+=")?${LINK_TOKEN}`)

/**
 * Removes the tokens in the addresses of a text or of sanitised HTML, except tokens that are the address themselves. For
 * anonymous surveys: otherwise an address could say who the recipient is, to the survey or to another website.
 */
export const withoutTokensInAddresses = (text: string): string => {
  const strip = (address: string) => {
    const [own = ''] = OWN_LINK.exec(address) ?? []
    return own + address.slice(own.length).replace(TOKEN, '')
  }
  return text.replace(ATTRIBUTE, strip).replace(ADDRESS, strip)
}

/** Replaces the values that are addresses with an empty text, for anonymous surveys. */
export function withoutAddresses(values: TokenValues): TokenValues {
  const clean = (value: string) => (/:\/\/|\bwww\./i.test(value) ? '' : value)
  const custom = Object.fromEntries(Object.entries(values.custom).map(([name, value]) => [name, clean(value)]))
  return { ...values, name: clean(values.name), custom }
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
