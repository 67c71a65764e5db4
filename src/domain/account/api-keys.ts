import { defineEntity, p } from '@mikro-orm/core'
import { digest, randomCode } from '../../lib/secrets.ts'
import type { Context, PublicContext } from '../context.ts'
import { detail } from '../error-details.ts'
import { problems } from '../problem.ts'
import { recordSecurityEvent } from '../security/record.ts'
import type { Tables } from '../tables.ts'
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
    /** Whether the key allows only requests that change nothing. */
    isReadOnly: p.boolean().default(false),
    createdAt: p.datetime(),
    /** Null: the key does not expire. */
    expiresAt: p.datetime().nullable(),
    /** Null: the key has not been used. */
    usedAt: p.datetime().nullable(),
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

/** What an API key allows. */
interface KeyLimits {
  isReadOnly?: boolean
  expiresAt?: Date | null
}

/**
 * Creates an API key for an account, unless the key exists already.
 * @returns the key, which cannot be read again
 */
export async function issueApiKey(
  context: PublicContext,
  account: Account,
  key = randomCode(40),
  name = '',
  limits: KeyLimits = {},
): Promise<string> {
  const { em, now, services } = context
  const hash = digest(services.secretKey, key)
  if (await em.findOne(ApiKey, { hash })) return key
  const apiKey = em.create(ApiKey, { account, hash, name, hint: key.slice(-4), createdAt: now, ...limits })
  await em.flush()
  await recordSecurityEvent(context, account.id, 'api_key_created', { key: apiKey.id })
  return key
}

const MAX_NAME_CHARACTERS = 100
/** Maximum number of active keys per account. */
const MAX_KEYS = 50
/** The lifetimes that a user can choose, in days. */
export const KEY_LIFETIMES = [30, 90, 365] as const
const DAY_MS = 86_400_000

/** Returns the API keys of the actor that are not revoked, newest first. Expired keys are among them. */
export const listApiKeys = ({ em, actor }: Context): Promise<ApiKey[]> =>
  em.find(ApiKey, { account: actor.id, revokedAt: null }, { orderBy: { id: 'desc' } })

/**
 * Returns the key with the given text, with its account, unless it is revoked or expired.
 * @param text the key as a program sent it
 */
export const findActiveKey = ({ em, now, services }: PublicContext, text: string): Promise<ApiKey | null> =>
  em.findOne(
    ApiKey,
    {
      hash: digest(services.secretKey, text),
      revokedAt: null,
      account: { disabledAt: null },
      $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
    },
    { populate: ['account', 'account.passwordHash'] },
  )

/** Minimum time between two updates of the last use, so that most requests write nothing. */
const USED_INTERVAL_MS = 600_000

/** Stores that a key has been used. */
export async function touchApiKey({ em, now }: PublicContext, { id, usedAt }: ApiKey): Promise<void> {
  if (usedAt && now.getTime() - usedAt.getTime() < USED_INTERVAL_MS) return
  await em.getKysely<Tables>().updateTable('api_key').set({ used_at: now }).where('id', '=', id).execute()
}

/**
 * Creates an API key with a label.
 * @param days the lifetime, one of {@link KEY_LIFETIMES}; undefined: the key does not expire
 * @returns the key, which cannot be read again
 * @throws {Problem} `invalid_request`
 */
export async function createApiKey(
  context: Context,
  { name, isReadOnly, days }: { name: string; isReadOnly: boolean; days: number | undefined },
): Promise<string> {
  const label = name.trim()
  if (!label) throw problems.invalidField('name', 'required')
  if (label.length > MAX_NAME_CHARACTERS) throw problems.invalidField('name', 'too_long', { max: MAX_NAME_CHARACTERS })
  if (days !== undefined && !(KEY_LIFETIMES as readonly number[]).includes(days))
    throw problems.invalidField('expires', 'invalid_value')
  const { em, actor, now } = context
  if ((await em.count(ApiKey, { account: actor.id, revokedAt: null })) >= MAX_KEYS)
    throw problems.invalidField('name', 'limit_reached', { max: MAX_KEYS }, detail('first_keys', { max: MAX_KEYS }))
  const expiresAt = days === undefined ? null : new Date(now.getTime() + days * DAY_MS)
  return issueApiKey(context, em.getReference(Account, actor.id), randomCode(40), label, { isReadOnly, expiresAt })
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
