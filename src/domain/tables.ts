import type { ColumnType, Generated } from 'kysely'
import type { AccountTables } from './account/account-tables.ts'
import type { EmailStatus } from './email/email.ts'
import type { MessageState } from './email/email-message.ts'
import type { Role } from './group/role.ts'
import type { Scope } from './oauth/scope.ts'
import type { RemovedItems } from './structure/numbering.ts'
import type { Structure } from './structure/structure.ts'
import type { SurveySettings } from './survey/settings.ts'
import type { DeliveryAttempt, ResponseFacts } from './webhook/delivery.ts'
import type { EventType } from './webhook/webhook.ts'

/** bigint, parsed as a number by the driver (src/db/orm.ts). */
type Id = number
type Time = ColumnType<string, Date, Date>
type MaybeTime = ColumnType<string | null, Date | null | undefined, Date | null>

/** The tables of Kysely queries, with the types that the driver returns and accepts. */
export interface Tables extends AccountTables {
  page_draft: { hash: Buffer; survey_id: Id; key: Buffer; sealed: string; expires_at: Time }
  idempotency_key: { id: Buffer; account_id: Id | null; fingerprint: Buffer; sealed: string; created_at: Time }
  respondent_session: {
    hash: Buffer
    collector_id: Id
    endpoint: string
    tokens: string
    attempt: number
    state_echoed: boolean
    created_at: Time
  }
  oauth_application: {
    id: Generated<Id>
    owner_id: Id
    client_id: string
    secret_hash: Buffer
    name: string
    homepage: string
    callback: string
    description: string
    created_at: Time
  }
  oauth_grant: {
    id: Generated<Id>
    account_id: Id
    application_id: Id
    scopes: Scope[]
    code_hash: Buffer
    code_expires_at: Time
    redirect_uri: string | null
    code_challenge: string | null
    created_at: Time
    redeemed_at: MaybeTime
    seen_at: MaybeTime
    /** Time at which its code and all its tokens have expired. */
    ends_at: Time
  }
  oauth_token: {
    hash: Buffer
    grant_id: Id
    kind: 'access' | 'refresh'
    scopes: Scope[]
    expires_at: Time
    used_at: MaybeTime
  }
  survey: {
    id: Id
    owner_id: Id
    name: string
    slug: string
    live: boolean
    structure: Structure
    removed: RemovedItems[]
    version: number
    revision: number
    settings: SurveySettings
    tags: string[]
    created_at: Time
    updated_at: Time
  }
  collector: {
    id: Generated<Id>
    survey_id: Id
    name: string
    live: boolean
    is_default: boolean
    settings: Partial<SurveySettings>
    created_at: Time
  }
  account_group: { id: Generated<Id>; owner_id: Id; name: string; created_at: Time }
  group_member: { group_id: Id; account_id: Id; roles: Role[]; created_at: Time }
  survey_group: { survey_id: Id; group_id: Id }
  embed: { id: Id; survey_id: Id }
  saved_filter: { id: Id; survey_id: Id; name: string; query: string }
  contact: {
    id: Generated<Id>
    owner_id: Id
    name: string
    email: string
    unsubscribed: Generated<boolean>
    unsubscribed_at: MaybeTime
    custom: Record<string, string>
    created_at: Time
    updated_at: Time
    search: Generated<string>
  }
  contact_field: { id: Generated<Id>; owner_id: Id; name: string }
  contact_list: { id: Generated<Id>; owner_id: Id; name: string; color: string; created_at: Time }
  contact_list_member: { list_id: Id; contact_id: Id }
  response: {
    survey_id: Id
    id: Generated<Id>
    collector_id: Id
    completed: number
    locale: number | null
    saves: number
    completion_time: number | null
    created_at: Time
    updated_at: Time
    weighted_score: number | null
    key: Buffer
    answers: Record<string, unknown>
    language: string
    username: string
    ip_address: string
    get_variables: string | null
    referrer: string | null
    pagepath: string | null
    invite_code: string | null
    invite_email: string | null
    invite_name: string | null
    invite_once: Generated<boolean>
  }
  response_quota: { survey_id: Id; quota: string; response_id: Id }
  response_change: { survey_id: Id; seq: Id; response_id: Id; kind: number; at: Time; epoch: Generated<number | null> }
  survey_feed: { survey_id: Id; seq: Id; responses: Id }
  response_rollup: {
    survey_id: Id
    generation: Generated<number>
    seq: Id
    last_id: Id
    predicates: string[]
    revision: number | null
  }
  response_segment: {
    survey_id: Id
    number: number
    last_id: Id
    counts: number[]
    first_created: MaybeTime
    last_created: MaybeTime
    first_updated: MaybeTime
    last_updated: MaybeTime
    indexed_predicates: Generated<number>
  }
  response_bitmap: { survey_id: Id; segment_number: number; predicate_number: number; bits: string }
  response_count: { survey_id: Id; collector_id: Id; responses: Id }
  invite: {
    id: Generated<Id>
    survey_id: Id
    collector_id: Id
    contact_id: Id | null
    code: string
    email: string | null
    name: string | null
    created_at: Time
    sent_at: MaybeTime
    viewed_at: MaybeTime
    bounced_at: MaybeTime
    used_on: ColumnType<string | null, Date | null, Date | null>
  }
  security_chain: { account_id: Id; seq: Id; hash: Buffer; base_seq: Id; base_hash: Buffer; base_mac: Buffer }
  security_event: {
    account_id: Id
    seq: Id
    at: Time
    kind: string
    details: string
    network: string
    hash: Buffer
  }
  used_invite: { hash: Buffer; survey_id: Id; sealed: string }
  email: {
    id: Generated<Id>
    owner_id: Id
    survey_id: Id
    collector_id: Id
    reminder_of: Id | null
    status: EmailStatus
    sender: string
    subject: string
    message: string
    footer: string | null
    scheduled_at: MaybeTime
    created_at: Time
    updated_at: Time
  }
  email_message: {
    id: Generated<Id>
    email_id: Id
    contact_id: Id | null
    invite_id: Id | null
    state: MessageState
    attempts: Generated<number>
    next_at: MaybeTime
    run: string | null
    handed_at: MaybeTime
    sent_at: MaybeTime
    address: string | null
    error: string | null
  }
  webhook: {
    id: Generated<Id>
    account_id: Id
    event: EventType
    survey_id: Id | null
    collector_id: Id | null
    subscription_url: string
    secret: string
    previous_secret: string | null
    previous_until: Time | null
    failures: number
    disabled_at: Time | null
    disabled_reason: string | null
    created_at: Time
    paused_until: Time | null
  }
  webhook_delivery: {
    id: Generated<Id>
    webhook_id: Id
    message_id: Generated<string>
    event: EventType
    facts: ColumnType<ResponseFacts | null, string | null, string | null>
    body: string | null
    attempts: ColumnType<DeliveryAttempt[], string | undefined, string>
    tries: Generated<number>
    next_attempt_at: ColumnType<string | null, Date | null, Date | null>
    delivered_at: ColumnType<string | null, Date | null, Date | null>
    created_at: Time
  }
}
