import { timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { digest } from '../../lib/token.ts'
import type { Actor, PublicContext } from '../context.ts'
import { problems } from '../problem.ts'
import type { Tables } from '../tables.ts'
import { Account, actorOf } from './account.ts'
import { ApiKey } from './api-key.ts'
import { hashPassword, passwordMatches } from './password.ts'

/** Checked against when nobody has the given name, so that a stranger learns nothing from the time it takes. */
const decoy = hashPassword('nobody has this password')

const keyOf = (em: EntityManager, secretKey: Buffer, text: string) =>
  em.findOne(
    ApiKey,
    { hash: digest(secretKey, text), revokedAt: null },
    { populate: ['account', 'account.passwordHash'] },
  )

/**
 * Whom a pair of Basic credentials belongs to: (API key, password), (user name or e-mail, password),
 * (user name or e-mail, API key). Specification "Authentication", decisions.md section 1.
 * @throws {Problem} `not_authorized`
 */
export async function signIn({ em, site }: PublicContext, name: string, secret: string): Promise<Actor> {
  const byKey = await keyOf(em, site.secretKey, name)
  if (byKey) {
    const account = byKey.account.unwrap()
    if (await passwordMatches(account.passwordHash, secret)) return actorOf(account)
    throw problems.unauthenticated()
  }
  const account = await findByName(em, name)
  if (account) {
    const key = await keyOf(em, site.secretKey, secret)
    if (key && key.account.id === account.id) return actorOf(account)
  }
  const matches = await passwordMatches(account?.passwordHash ?? (await decoy), secret)
  if (!account || !matches) throw problems.unauthenticated()
  return actorOf(account)
}

/** The account with this user name or e-mail address, in any case, with its password hash loaded. */
export async function findByName(em: EntityManager, name: string): Promise<Account | null> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('account')
    .select('id')
    .where(({ eb, fn, val }) =>
      eb.or([
        eb(fn<string>('lower', ['username']), '=', fn<string>('lower', [val(name)])),
        eb(fn<string>('lower', ['email']), '=', fn<string>('lower', [val(name)])),
      ]),
    )
    .executeTakeFirst()
  return row ? em.findOne(Account, row.id, { populate: ['passwordHash'] }) : null
}

/** Whether two secrets are the same, in a time that does not depend on where they differ. */
export const sameSecret = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
