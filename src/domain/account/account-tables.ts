import type { ColumnType, Generated } from 'kysely'

type Id = number
type Time = ColumnType<string, Date, Date>

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
