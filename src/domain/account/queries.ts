import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Account } from './account.ts'

/** An account. Everybody sees only their own. @throws {Problem} `user_not_found` */
export async function findAccount({ em, actor }: Context, id: number): Promise<Account> {
  if (id !== actor.id) throw problems.userNotFound()
  return em.findOneOrFail(Account, id, { failHandler: problems.userNotFound })
}
