import { readFileSync } from 'node:fs'
import { isLoopbackHost } from './network.ts'
import { ConfigError } from './settings.ts'

/** An OpenID provider at which users of the pages can sign in (docs/single-sign-on.md). */
export interface SignInProviderSettings {
  /** Identifies the provider in addresses. */
  id: string
  /** The text of its button is “Sign in with” and this name. */
  name: string
  issuer: string
  client_id: string
  client_secret?: string
  scope?: string
  /** Whether a person without an account gets one. */
  create_accounts?: boolean
  /** The domains of the addresses that get an account or are connected; absent: any. */
  domains?: string[]
  /** Whether an account is connected without its password if the provider has verified the address of the account. */
  connect_by_email?: boolean
  /** Whether the addresses of this provider count as verified although it does not say so. */
  trust_email?: boolean
  /** The claim with the groups of a person; absent: `groups`. */
  groups_claim?: string
  /** The members of which group of the provider become members of which group, with which roles. */
  groups?: { name: string; group: number; roles: string }[]
}

/** Maximum number of rules about groups. */
const MAX_GROUP_RULES = 200

const PROVIDER_MEMBERS: Readonly<
  Record<keyof SignInProviderSettings, readonly [type: string, isValid: (value: never) => boolean]>
> = {
  id: [
    'lower-case letters, digits and hyphens',
    (value: string) => isText(value) && /^[a-z\d][a-z\d-]{0,31}$/.test(value),
  ],
  name: ['a text of up to 60 characters', (value: string) => isText(value) && value.length <= 60],
  issuer: ['an https:// address, or an http:// address of the same machine', isIssuer],
  client_id: ['a text', isText],
  client_secret: ['a text', isText],
  scope: [
    'scopes with openid, separated by spaces',
    (value: string) => isText(value) && value.split(' ').includes('openid'),
  ],
  create_accounts: ['true or false', isBoolean],
  domains: ['a list of domains', (value: string[]) => Array.isArray(value) && value.every((each) => isText(each))],
  connect_by_email: ['true or false', isBoolean],
  trust_email: ['true or false', isBoolean],
  groups_claim: ['a text', isText],
  groups: [
    `a list of up to ${MAX_GROUP_RULES} objects with name, group (the number of a group) and roles (names)`,
    (value: object[]) => Array.isArray(value) && value.length <= MAX_GROUP_RULES && value.every(isGroupRule),
  ],
}
const REQUIRED_OF_PROVIDER = ['id', 'name', 'issuer', 'client_id'] as const

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function isGroupRule(value: unknown): boolean {
  const { name, group, roles, ...rest } = (value ?? {}) as Record<string, unknown>
  return isText(name) && Number.isSafeInteger(group) && isText(roles) && Object.keys(rest).length === 0
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isIssuer(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
}

/**
 * Reads a file with a JSON list of OpenID providers.
 * @throws {ConfigError} naming the item and the member that is not valid
 */
export function signInProviders(file: string, name: string): SignInProviderSettings[] {
  let entries: unknown
  try {
    entries = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}.`)
  }
  const fail = (place: string, rule: string): never => {
    throw new ConfigError(`${name}: ${place} must be ${rule}.`)
  }
  if (!Array.isArray(entries) || entries.length === 0) return fail('the content', 'a JSON list with a provider')
  const ids = new Set<unknown>()
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== 'object' || entry === null) fail(`item ${index + 1}`, 'an object')
    for (const member of [...REQUIRED_OF_PROVIDER, ...Object.keys(entry)]) {
      const rule = Object.hasOwn(PROVIDER_MEMBERS, member) && PROVIDER_MEMBERS[member as keyof SignInProviderSettings]
      if (!rule) return fail(`“${member}” of item ${index + 1}`, `one of ${Object.keys(PROVIDER_MEMBERS).join(', ')}`)
      if (!rule[1](entry[member] as never)) fail(`“${member}” of item ${index + 1}`, rule[0])
    }
    if (ids.has(entry.id)) fail(`“id” of item ${index + 1}`, 'different from those of other items')
    ids.add(entry.id)
  }
  return entries
}
