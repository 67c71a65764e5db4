import type { InferKyselyDB } from '@mikro-orm/postgresql'
import type { ColumnType, Generated } from 'kysely'
import type { AccountTables } from './account/tables.ts'
import type { entities } from './entities.ts'
import type { Role } from './group/group.ts'
import type { SignInStep } from './identity/identity-provider.ts'
import type { ImageType } from './image/image.ts'
import type { ImportRecord } from './moving/record.ts'
import type { FormatName } from './moving/source.ts'
import type { Scope } from './oauth/scope.ts'
import type { Structure } from './structure/structure.ts'
import type { ReviewTables } from './survey/review-tables.ts'
import type { Theme } from './theme/theme.ts'
import type { DeliveryAttempt, EventType, ResponseFacts } from './webhook/webhook.ts'

/** bigint, parsed as a number by the driver (src/db/orm.ts). */
export type Id = number
export type Time = ColumnType<string, Date, Date>
export type MaybeTime = ColumnType<string | null, Date | null | undefined, Date | null>

/** The type of a column, with dates as the driver returns and accepts them. */
type Column<Type> = Date extends Type ? (null extends Type ? MaybeTime : Time) : Type

type EntityTables = {
  [Table in keyof Inferred]: { [Name in keyof Inferred[Table]]: Column<Inferred[Table][Name]> }
}
type Inferred = InferKyselyDB<(typeof entities)[number]>

/** All tables: the tables of the entities, and the tables that only hand-written queries use. */
export interface Tables extends AccountTables, EntityTables, ReviewTables {
  theme: {
    account_id: Id
    /** Null: the default theme of the account. */
    survey_id: Id | null
    /** json, parsed by the driver. */
    theme: ColumnType<Partial<Theme>, string, string>
    logo_digest: string | null
    logo_type: string | null
    logo: Buffer | null
    cover_digest: string | null
    cover_type: string | null
    cover: Buffer | null
    font_file_digest: string | null
    font_file_type: string | null
    font_file: Buffer | null
  }
  /** How often each account gets an email about new responses to a survey. */
  survey_notification: {
    survey_id: Id
    account_id: Id
    frequency: 'immediate' | 'daily'
    /** Number of the last change of the feed about which the account has been informed. */
    seq: Id
    /** The earliest time of the next email. */
    next_at: Time
  }
  image: {
    digest: string
    /** The last part of the name of the object in a bucket. */
    key: string
    type: ImageType
    width: number
    height: number
    bytes: Id
    content: Buffer | null
    /** URL of the bucket that stores the content, with a prefix; null: the column `content` stores it. */
    store: string | null
  }
  /** When an account was last told that its space for files is nearly full (file/storage.ts). */
  storage_warning: { account_id: Id; warned_at: Time }
  /** The addresses that have unsubscribed from the mail of an account (contact/unsubscribed-address.ts). */
  unsubscribed_address: { account_id: Id; digest: Buffer }
  /** The addresses from which the mail of an account came back (contact/bounced-address.ts). */
  bounced_address: { account_id: Id; digest: Buffer; reason: string; bounced_at: Time }
  /** What the owner of a survey has changed (survey/changes.ts). */
  survey_change: {
    id: Generated<Id>
    survey_id: Id
    at: Time
    kind: string
    detail: ColumnType<object, string, never>
  }
  image_use: {
    id: Generated<Id>
    digest: string
    survey_id: Id | null
    template_id: Id | null
    library_id: ColumnType<Id | null, Id | null | undefined, never>
    is_kept: boolean
    created_at: Time
  }
  /** A saved question (survey/question-library.ts). */
  question_library: {
    id: Generated<Id>
    owner_id: Id
    /** The group whose members can insert the question; null: only the owner. */
    group_id: Id | null
    name: string
    idname: string
    /** json, parsed by the driver: a structure that has only this question. */
    structure: ColumnType<Structure, string, never>
    created_at: Time
  }
  /** The group of the people whom the owner of a survey invited to it (survey/team.ts). */
  survey_team: { survey_id: Id; group_id: Id }
  /** An address that a survey had before it was handed over. The username is in lower case. */
  survey_address: { username: string; slug: string; survey_id: Id }
  /** An invitation of a person to a group or to the team of a survey (group/colleague-invitations.ts). */
  colleague_invitation: {
    id: Generated<Id>
    /** Null: an offer to hand over `surveys` (account-data/hand-over.ts). */
    group_id: Id | null
    /** bigint[], whose elements the driver returns as texts. */
    surveys: ColumnType<string[] | null, Id[] | undefined, never>
    inviter_id: Id
    email: string
    roles: Role[]
    /** Hash of the token in the link. */
    hash: Buffer
    state: ColumnType<'pending' | 'accepted' | 'declined' | 'withdrawn', 'pending' | undefined>
    /** How often a link was made. */
    sends: Generated<number>
    created_at: Time
    sent_at: Time
    expires_at: Time
  }
  /** A survey of another tool (moving/import.ts). */
  survey_import: {
    id: Generated<Id>
    account_id: Id
    /** Null: the owner has not imported the upload yet. */
    survey_id: Id | null
    format: FormatName
    /** The upload; null after the import. */
    file: Buffer | null
    /** json, parsed by the driver: an `ImportRecord`. */
    record: ColumnType<ImportRecord, string, string>
    created_at: Time
  }
  survey_draft: { survey_id: Id; step: number; base_version: number; author_id: Id | null; updated_at: Time }
  survey_draft_step: {
    survey_id: Id
    step: number
    /** json, parsed by the driver. */
    structure: ColumnType<Structure, string, string>
    /** The operation that created this step, such as `Question added`. */
    label: string
    /** The edited part, if the editor saved it automatically. */
    subject: string | null
  }
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
  provider_failure: {
    survey_id: Id
    number: number
    step: SignInStep
    status: number | null
    code: string | null
    description: string | null
    reason: string
    count: Generated<number>
    first_at: Time
    last_at: Time
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
    /** Time at which the code and all tokens of the grant have expired. */
    ends_at: Time
  }
  oauth_token: {
    hash: Buffer
    grant_id: Id
    kind: 'access' | 'refresh'
    scopes: Scope[]
    expires_at: Time
    used_at: MaybeTime
    /** The hash of the refresh token that was issued with an access token; null for older tokens. */
    issued_with: Buffer | null
  }
  response: {
    survey_id: Id
    id: Generated<Id>
    collector_id: Id
    completed: number
    locale: number | null
    saves: number
    completion_time: number | null
    active_seconds: Generated<number | null>
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
    /** The number that people see, from 1 in each survey. */
    number: Generated<number>
  }
  uploaded_file: {
    survey_id: Id
    key: string
    question_id: string
    /** Null: no response uses the file yet. */
    response_id: Id | null
    /** Key of the response that can use the file; null: any response of the survey can use it. */
    response_key: Buffer | null
    name: string
    type: string
    bytes: number
    created_at: Time
    /** URL of the bucket that stores the content, with a prefix; null: `uploaded_file_chunk` stores it. */
    store: string | null
  }
  /** The objects to delete from buckets. When a file is deleted, a trigger adds its object. */
  file_deletion: {
    id: Generated<Id>
    store: string
    name: string
    /** Whether the object is being uploaded. `keepObject` can then still cancel its deletion. */
    uploading: Generated<boolean>
    attempts: Generated<number>
    due_at: Generated<string>
  }
  uploaded_file_chunk: { survey_id: Id; key: string; number: number; content: Buffer }
  response_quota: { survey_id: Id; quota: string; response_id: Id }
  /** What people did with responses (domain/response/edit). */
  response_revision: {
    survey_id: Id
    id: Generated<Id>
    response_id: Id
    kind: number
    at: Time
    account_id: Id | null
    reason: string | null
    before: unknown
  }
  /** The categories of text answers (domain/response/coding). */
  response_coding: {
    survey_id: Id
    response_id: Id
    key: string
    round_id: Id
    coder_id: Id
    category_id: Id
    digest: string
  }
  response_coding_state: { survey_id: Id; revision: Id }
  coding_category: {
    id: Generated<Id>
    survey_id: Id
    name: string
    description: string
    colour: string
    created_at: Time
  }
  coding_rule: {
    id: Generated<Id>
    survey_id: Id
    category_id: Id
    contains: string
    /** Stored key of the question; null: all. */
    key: string | null
    applies_to_new: boolean
    seq: Id
    below: Id | null
    created_at: Time
  }
  coding_round: { id: Generated<Id>; survey_id: Id; opened_at: Time; closed_at: MaybeTime }
  response_change: {
    survey_id: Id
    seq: Id
    response_id: Id
    kind: number
    at: Time
    epoch: Generated<number | null>
    completes: Generated<boolean | null>
  }
  /** `response_ids`: the reserved ids that no response has yet, as the text of a multirange. */
  survey_feed: {
    survey_id: Id
    seq: Id
    responses: Id
    response_ids: Generated<string | null>
    /** The number of the last response. */
    last_number: Generated<number | null>
  }
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
  response_progress: {
    survey_id: Id
    segment_number: number
    days: string[]
    started: number[]
    complete: number[]
    terminated: number[]
    pages: number[]
    submitted: number[]
    stopped: number[]
    slots: number[] | null
    slot_started: number[] | null
    slot_complete: number[] | null
    /** bigint[], which the driver returns as texts. */
    collectors: string[] | null
    collector_started: number[] | null
    collector_complete: number[] | null
    collector_terminated: number[] | null
  }
  response_count: { survey_id: Id; collector_id: Id; responses: Id }
  /** Counts of reports for readers who may not view responses (report/publication.ts). */
  report_publication: { survey_id: Id; population: string; version: number; state: ColumnType<object, string, never> }
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
    /** The span of the request that caused the event; null: it was not traced, or the response is anonymous. */
    traceparent: string | null
  }
}

/**
 * The tables of responses, in the order of their foreign keys. On a database with Citus, their rows are distributed by
 * `survey_id`, so that all rows of a survey are on one node. Every statement on them names one survey
 * (test/support/statement-rule.ts).
 */
export const DISTRIBUTED_TABLES = [
  'survey_feed',
  'response',
  'response_change',
  'response_revision',
  'response_coding',
  'response_coding_state',
  'response_count',
  'response_quota',
  'response_rollup',
  'response_segment',
  'response_bitmap',
  'response_progress',
] as const

/**
 * The tables that statements on responses join. With Citus, every node has a copy. All other tables are on the
 * coordinator.
 */
export const REFERENCE_TABLES = ['account', 'survey', 'collector', 'webhook'] as const

/**
 * The functions of the database whose first argument is a survey. They run on the node of this survey. Only servers of
 * the previous version call `store_responses`.
 */
export const DISTRIBUTED_FUNCTIONS = [
  'enqueue_completion_events',
  'store_responses',
  'store_batch',
  'add_response_ids',
  'take_response_ids',
] as const

/**
 * A comment in a query that reads the responses of several surveys. With Citus, such a query runs on every node.
 * Requests of respondents therefore never run such a query.
 */
export const ACROSS_SURVEYS = '/* across surveys */'
