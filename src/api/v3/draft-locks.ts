import { lockDraft } from '../../domain/survey/drafts.ts'
import type { Version } from '../engine/mount.ts'

const lockDraftOf: NonNullable<Version['locks']>[string] = (em, path) => lockDraft(em, path.survey_id as number)

/**
 * The operations whose If-Match is checked under the lock of the draft. Without the lock, two concurrent first saves
 * would not see the draft that the other one inserts.
 */
export const draftLocks: NonNullable<Version['locks']> = { updateDraft: lockDraftOf, discardDraft: lockDraftOf }
