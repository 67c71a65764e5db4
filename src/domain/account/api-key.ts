import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from './account.ts'

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
