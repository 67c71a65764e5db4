import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Account } from './account.ts'

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
