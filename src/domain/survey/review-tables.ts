import type { ColumnType, Generated } from 'kysely'
import type { Id, MaybeTime, Time } from '../tables.ts'

/** The tables of what people see and say of a survey before it is published. */
export interface ReviewTables {
  /** A link to a preview (survey/preview-links.ts). */
  preview_link: {
    id: Generated<Id>
    survey_id: Id
    creator_id: Id | null
    label: string
    /** Null: the draft as it is now. */
    version: number | null
    /** HMAC of the key in the link. */
    hash: Buffer
    created_at: Time
    expires_at: MaybeTime
    /** Whether people with the link can comment. */
    comments: Generated<boolean>
  }
  /** A comment; the first one of a thread says what the thread is about (survey/comments.ts). */
  survey_comment: {
    id: Generated<Id>
    survey_id: Id
    /** Null: the first comment of a thread. */
    thread_id: Id | null
    about: string
    questions: string[]
    title: string
    author_id: Id | null
    /** The preview link through which it was written. */
    link_id: Id | null
    /** The name of a person with a preview link; '' for an account. */
    author_name: string
    text: string
    created_at: Time
    resolved_at: MaybeTime
    resolved_by: ColumnType<Id | null, Id | null | undefined, Id | null>
    informed: Generated<boolean>
  }
  /** A request to approve a structure, and the decision (survey/reviews.ts). */
  survey_review: {
    id: Generated<Id>
    survey_id: Id
    hash: string
    requester_id: Id | null
    note: string
    requested_at: Time
    state: ColumnType<'pending' | 'approved' | 'returned', string | undefined, string>
    decider_id: ColumnType<Id | null, Id | null | undefined, Id | null>
    decided_at: MaybeTime
    sentence: string
    /** The last version that has the approved structure. */
    version: ColumnType<number | null, number | null | undefined, number | null>
  }
  /** The accounts that get no emails about comments on a survey. */
  survey_comment_mute: { survey_id: Id; account_id: Id }
}
