import { defineEntity, p } from '@mikro-orm/core'
import { AccountSchema } from '../account/account.ts'

export const ApplicationSchema = defineEntity({
  name: 'Application',
  tableName: 'oauth_application',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** The account that registered the application. */
    owner: () => p.manyToOne(AccountSchema).ref().deleteRule('cascade').index(),
    clientId: p.text().unique('oauth_application_client_id_key'),
    /** HMAC-SHA256 of the client secret with the secret key of the installation. */
    secretHash: p.blob().lazy(),
    name: p.text(),
    homepage: p.text(),
    /** The redirect URI, compared exactly. */
    callback: p.text(),
    description: p.text().default(''),
    createdAt: p.datetime(),
  },
})

/** A third-party application that acts on behalf of users who authorized it (docs/specification.md 3.3). */
export class Application extends ApplicationSchema.class {}
ApplicationSchema.setClass(Application)
