/**
 * The tables of responses, in the order of their foreign keys. On a database with Citus, their rows are distributed by
 * `survey_id`, so that all rows of a survey are on one node. Every statement on them names one survey
 * (test/support/statement-rule.ts).
 */
export const DISTRIBUTED_TABLES = [
  'survey_feed',
  'response',
  'response_change',
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
