import { defineEntity, p } from '@mikro-orm/core'
import { digest, randomCode } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import { Account, AccountSchema } from './account.ts'

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    account: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    /** HMAC-SHA256 of the key with the secret key of the installation. */
    hash: p.blob().unique('api_key_hash_key'),
    /** The last four characters, by which the owner recognises the key. */
    hint: p.text(),
    /** The label that the owner gave the key. */
    name: p.text().default(''),
    createdAt: p.datetime(),
    revokedAt: p.datetime().nullable(),
  },
  indexes: [
    {
      name: 'api_key_revoked_at_index',
      expression: 'create index api_key_revoked_at_index on api_key (revoked_at) where revoked_at is not null',
    },
  ],
})

/**
 * A secret with which programs authenticate. In Basic credentials, it replaces the username or the password of its
 * account.
 */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey)

/**
 * Creates an API key for an account, unless the key exists already.
 * @returns the key, which cannot be read again
 */
export async function issueApiKey(
  context: PublicContext,
  account: Account,
  key = randomCode(40),
  name = '',
): Promise<string> {
  const { em, now, services } = context
  const hash = digest(services.secretKey, key)
  if (await em.findOne(ApiKey, { hash })) return key
  const apiKey = em.create(ApiKey, { account, hash, name, hint: key.slice(-4), createdAt: now })
  await em.flush()
  await recordSecurityEvent(context, account.id, 'api_key_created', { key: apiKey.id })
  return key
}

const MAX_NAME_CHARACTERS = 100
/** Maximum number of active keys per account. */
const MAX_KEYS = 50

/** Returns the active API keys of the actor, newest first. */
export const listApiKeys = ({ em, actor }: Context): Promise<ApiKey[]> =>
  em.find(ApiKey, { account: actor.id, revokedAt: null }, { orderBy: { id: 'desc' } })

/**
 * Creates an API key with a label.
 * @returns the key, which cannot be read again
 * @throws {Problem} `invalid_request`
 */
export async function createApiKey(context: Context, name: string): Promise<string> {
  const label = name.trim()
  if (!label) throw problems.invalidField('name', 'required')
  if (label.length > MAX_NAME_CHARACTERS) throw problems.invalidField('name', 'too_long', { max: MAX_NAME_CHARACTERS })
  const { em, actor } = context
  if ((await em.count(ApiKey, { account: actor.id, revokedAt: null })) >= MAX_KEYS)
    throw problems.invalidField('name', 'limit_reached', { max: MAX_KEYS }, detail('first_keys', { max: MAX_KEYS }))
  return issueApiKey(context, em.getReference(Account, actor.id), randomCode(40), label)
}

/**
 * Returns an active API key of the actor.
 * @throws {Problem} `api_key_not_found`
 */
export const findApiKey = ({ em, actor }: Context, id: number): Promise<ApiKey> =>
  em.findOneOrFail(ApiKey, { id, account: actor.id, revokedAt: null }, { failHandler: problems.apiKeyNotFound })

/**
 * Revokes an API key; requests that use it fail with 401 from the next one on.
 * @throws {Problem} `api_key_not_found`
 */
export async function revokeApiKey(context: Context, id: number): Promise<void> {
  const { em, actor, now, services } = context
  const key = await findApiKey(context, id)
  key.revokedAt = now
  await em.flush()
  await recordSecurityEvent(context, actor.id, 'api_key_revoked', { key: id })
  await services.invalidateCredentials(em, [actor.id])
}
