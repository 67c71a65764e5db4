import { randomCode } from '../../lib/token.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { Account } from './account.ts'
import { ApiKey } from './api-key.ts'
import { issueApiKey } from './commands.ts'

const MAX_NAME_CHARACTERS = 100
/** Keys that work at the same time. */
const MAX_KEYS = 50

/** The actor's keys that work, the newest first. */
export const listApiKeys = ({ em, actor }: Context): Promise<ApiKey[]> =>
  em.find(ApiKey, { account: actor.id, revokedAt: null }, { orderBy: { id: 'desc' } })

/** One more key, under a name. @returns the key, readable only in this answer @throws {Problem} `invalid_request` */
export async function createApiKey(context: Context, name: string): Promise<string> {
  const wanted = name.trim()
  if (!wanted) throw problems.invalidField('name', 'required')
  if (wanted.length > MAX_NAME_CHARACTERS) throw problems.invalidField('name', 'too_long', { max: MAX_NAME_CHARACTERS })
  const { em, actor } = context
  if ((await em.count(ApiKey, { account: actor.id, revokedAt: null })) >= MAX_KEYS)
    throw problems.invalidField(
      'name',
      'limit_reached',
      { max: MAX_KEYS },
      `you already have ${MAX_KEYS} keys; revoke one first`,
    )
  return issueApiKey(context, em.getReference(Account, actor.id), randomCode(40), wanted)
}

/** A key of the actor's that works. @throws {Problem} `api_key_not_found` */
export const findApiKey = ({ em, actor }: Context, id: number): Promise<ApiKey> =>
  em.findOneOrFail(ApiKey, { id, account: actor.id, revokedAt: null }, { failHandler: problems.apiKeyNotFound })

/** A key that works no longer. @throws {Problem} `api_key_not_found` */
export async function revokeApiKey(context: Context, id: number): Promise<void> {
  const { em, actor, now, services } = context
  const key = await findApiKey(context, id)
  key.revokedAt = now
  await em.flush()
  await recordSecurityEvent(context, actor.id, 'api_key_revoked', { key: id })
  await services.invalidateCredentials(em, [actor.id])
}
