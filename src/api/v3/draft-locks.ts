import { lockDraft } from '../../domain/survey/drafts.ts'
import type { Version } from '../engine/operation.ts'

const lockDraftOf: NonNullable<Version['locks']>[string] = (em, path) => lockDraft(em, path.survey_id as number)

/**
 * The operations for which If-Match is checked while the draft is locked. Without the lock, two concurrent requests
 * could both save a first draft, because neither sees the draft that the other inserts.
 */
export const draftLocks: NonNullable<Version['locks']> = { updateDraft: lockDraftOf, discardDraft: lockDraftOf }
