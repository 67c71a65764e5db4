import type { Generated } from 'kysely'
import type { Id, MaybeTime, Time } from '../tables.ts'

/** The tables of accounts and their credentials, as hand-written queries use them. */
export interface AccountTables {
  session: {
    id: Generated<Id>
    hash: Buffer
    account_id: Id
    agent: string
    ip_address: string
    created_at: Time
    seen_at: Time
    /** The OpenID provider of the sign-in (single-sign-on/provider.ts); null: a password or a link. */
    provider: string | null
    /** The sealed ID token. */
    id_token: string | null
    /** When the person last signed in again at the provider, instead of entering the password. */
    confirmed_at: MaybeTime
    /** The subject of the person at the provider. */
    provider_subject: string | null
    /** The session at the provider (`sid`). */
    provider_session: string | null
  }
  used_token: { hash: Buffer; expires_at: Time }
  second_factor: {
    account_id: Id
    /** Of the app for codes, sealed; empty: there are only passkeys. */
    secret: string
    /** The step of the last code that was used (RFC 6238). */
    last_step: Id
    /** Digests. */
    recovery_codes: Buffer[]
    created_at: Time
  }
  passkey: {
    id: Generated<Id>
    account_id: Id
    credential_id: Buffer
    /** COSE. */
    public_key: Buffer
    user_handle: Buffer
    counter: Id
    transports: string[]
    name: string
    created_at: Time
    used_at: MaybeTime
  }
  external_identity: {
    id: Generated<Id>
    issuer: string
    subject: string
    account_id: Id
    email: string
    created_at: Time
    used_at: Time
  }
  account_link: {
    hash: Buffer
    account_id: Id
    purpose: 'sign_in' | 'password' | 'email'
    /** The email address that the link confirms. */
    email: string | null
    expires_at: Time
  }
  email_quota: { account_id: Id; day: string; messages: number }
  sign_in_failure: { subject: Buffer; network: string; tries: number; at: Time }
}
