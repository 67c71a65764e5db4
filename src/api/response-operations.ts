import { withinTransaction } from '../domain/response/submit/batch.ts'
import { lockFeed } from '../domain/survey/feed.ts'
import type { Tables } from '../domain/tables.ts'
import type { Version } from './engine/mount.ts'

/**
 * Locks the change feed of the survey. Each new response changes the feed, so that writes at repeatable read would fail
 * too often.
 */
const lockFeedOf: NonNullable<Version['locks']>[string] = (em, path) =>
  lockFeed(em.getKysely<Tables>(), path.survey_id as number)

/** How the operations on responses use transactions and replicas, and which are submissions, in every version. */
export const responseOperations: Pick<Version, 'ownTransactions' | 'locks' | 'submissions' | 'replicaReads'> = {
  // The submission batcher commits many requests in one transaction.
  ownTransactions: { createResponse: withinTransaction },
  submissions: new Set(['createResponse', 'updateResponse']),
  locks: { updateResponse: lockFeedOf, deleteResponse: lockFeedOf },
  replicaReads: new Set(['listResponses', 'listResponseChanges', 'exportCsv', 'exportWorkbook', 'getReport']),
}
