import { defineEntity, p } from '@mikro-orm/core'
import type { Actor, Context } from '../context.ts'
import { problems } from '../problem.ts'
import { DEFAULT_PLAN } from '../request-limits.ts'

export const AccountSchema = defineEntity({
  name: 'Account',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    username: p.text(),
    email: p.text(),
    name: p.text().default(''),
    passwordHash: p.text().lazy(),
    isDeveloper: p.boolean().default(false),
    /** Whether the account may open the administration. */
    isAdministrator: p.boolean().default(false),
    /** Since when the account cannot sign in, and its keys and applications do not work; null: it is enabled. */
    disabledAt: p.datetime().nullable(),
    plan: p.text().default(DEFAULT_PLAN),
    createdAt: p.datetime(),
    /** The language of the pages; null: the language of the browser. */
    language: p.text().nullable(),
    /** The IANA time zone of the pages; null: the time zone of the browser. */
    timeZone: p.text().nullable(),
    /** The developer account that created this account. */
    openedBy: () => p.manyToOne(AccountSchema).ref().nullable().joinColumn('opened_by').deleteRule('set null'),
  },
  indexes: [
    {
      name: 'account_username_key',
      expression: 'create unique index account_username_key on account (lower(username))',
    },
    { name: 'account_email_key', expression: 'create unique index account_email_key on account (lower(email))' },
    {
      name: 'account_search_idx',
      expression: `create index account_search_idx on account using gin ((username || ' ' || email || ' ' || name) gin_trgm_ops)`,
    },
    {
      name: 'account_administrator_idx',
      expression: 'create index account_administrator_idx on account (id) where is_administrator',
    },
    {
      name: 'account_disabled_idx',
      expression: 'create index account_disabled_idx on account (id) where disabled_at is not null',
    },
  ],
})

/** A user, who owns surveys and calls the API. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account)

/** Returns an account as a plain object, which caches can share between requests. */
export const toActor = ({ id, username, email, name, isDeveloper, plan }: Actor): Actor => ({
  id,
  username,
  email,
  name,
  isDeveloper,
  plan,
})

/**
 * Returns the account of the actor, or an account that the actor created as a developer.
 * @throws {Problem} `user_not_found`
 */
export async function findAccount({ em, actor }: Context, id: number): Promise<Account> {
  const account = await em.findOneOrFail(Account, id, { failHandler: problems.userNotFound })
  if (id !== actor.id && !(actor.isDeveloper && account.openedBy?.id === actor.id)) throw problems.userNotFound()
  return account
}

/**
 * Checks that an id is the account id of the actor.
 * @throws {Problem} `user_not_found`
 */
export function assertOwnAccount({ actor }: Context, id: number): void {
  if (id !== actor.id) throw problems.userNotFound()
}
