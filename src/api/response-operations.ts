import { withinTransaction } from '../domain/response/submit/batch.ts'
import { lockFeed } from '../domain/survey/feed.ts'
import type { Tables } from '../domain/tables.ts'
import type { Version } from './engine/operation.ts'

/**
 * Locks the change feed of the survey, for writes with If-Match. Without a lock, these writes would run at repeatable
 * read. They would fail too often, because each new response changes the row of the feed.
 */
const lockFeedOf: NonNullable<Version['locks']>[string] = (em, path) =>
  lockFeed(em.getKysely<Tables>(), path.survey_id as number)

/**
 * How the operations on responses use transactions, locks and replicas, and which of them are submissions. All versions
 * of the API share these settings.
 */
export const responseOperations: Pick<Version, 'ownTransactions' | 'locks' | 'submissions' | 'replicaReads'> = {
  // The submission batcher commits many requests in one transaction.
  ownTransactions: { createResponse: withinTransaction },
  submissions: new Set(['createResponse', 'updateResponse']),
  locks: { updateResponse: lockFeedOf, deleteResponse: lockFeedOf },
  replicaReads: new Set([
    'listResponses',
    'listResponseChanges',
    'exportCsv',
    'exportWorkbook',
    'exportJsonLines',
    'exportSav',
    'exportDta',
    'exportParquet',
    'getReport',
    'exportAnalysis',
    'getCrossTable',
    'listTextAnswers',
    'countTextAnswers',
    'listFrequentWords',
    'compareGroups',
    'getTrend',
  ]),
}
