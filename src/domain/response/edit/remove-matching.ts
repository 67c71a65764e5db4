import { parseNetwork } from '../../../lib/network.ts'
import type { Context } from '../../context.ts'
import { DELETE_BATCH_ROWS } from '../../delete-in-batches.ts'
import { detail } from '../../error-details.ts'
import { type FieldError, type ValueError, valueError } from '../../field-error.ts'
import { problems } from '../../problem.ts'
import { recordActivity } from '../../security/record.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { SurveySnapshot } from '../../survey/snapshot.ts'
import type { Tables } from '../../tables.ts'
import type { Condition, Filter } from '../filter/condition.ts'
import { metaCondition } from '../filter/filter.ts'
import { showsIdentity, withoutIdentity } from '../filter/identity.ts'
import { whereResponses } from '../filter/where.ts'
import type { Completion } from '../submit/new-response.ts'
import { removeRows } from './remove.ts'

/** Conditions on the responses to delete. A response must meet all of them. */
export interface DeletionConditions {
  /** A date, or a date and time, in UTC. The period that it means is included. */
  createdFrom?: string | undefined
  createdTo?: string | undefined
  /** An IP address, or a network in CIDR notation. */
  network?: string | undefined
  completed?: Completion | undefined
}

export interface DeletionResult {
  deleted: number
  /** Number of responses that match, without the deleted ones. */
  count: number
}

/** Returns whether responses of the survey can contain an IP address. */
export const storesAddresses = (snapshot: SurveySnapshot): boolean =>
  [...snapshot.collectors.keys()].some((id) => showsIdentity(snapshot, id))

/**
 * Moves responses to the trash by time and network, at most {@link DELETE_BATCH_ROWS} of them, and only if exactly `expected`
 * responses match. If `expected` is absent, deletes nothing. Call it in a transaction.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`, `response_count_changed`
 */
export async function deleteMatchingResponses(
  context: Context,
  surveyId: number,
  conditions: DeletionConditions,
  expected: number | undefined,
): Promise<DeletionResult> {
  const snapshot = await findSnapshot(context, surveyId, 'Delete')
  const filters = withoutIdentity(filtersOf(conditions, snapshot), snapshot)
  // The responses are searched before the feed is locked, because a search in a large survey takes long.
  const { count, ids } = await search(context, surveyId, filters)
  if (expected === undefined) return { deleted: 0, count }
  if (count !== expected) throw problems.responseCountChanged(count)
  const { size } = ids.length > 0 ? await removeRows(context, surveyId, ids, { filters }) : new Set()
  if (size > 0) await recordActivity(context, surveyId, 'responses_deleted', { count: size })
  return { deleted: size, count: count - ids.length }
}

/** Counts the responses that pass the filters. @returns also the IDs of the first of them */
async function search({ em }: Context, surveyId: number, filters: readonly Filter[]) {
  const rows = await em
    .getKysely<Tables>()
    .selectFrom('response')
    .select('id')
    .select((eb) => eb.fn.countAll<number>().over().as('count'))
    .where(whereResponses(surveyId, filters))
    .orderBy('id')
    .limit(DELETE_BATCH_ROWS)
    .execute()
  return { count: Number(rows[0]?.count ?? 0), ids: rows.map(({ id }) => id) }
}

/** @throws {Problem} `invalid_request` naming each invalid condition, or the first if there is none */
function filtersOf(
  { createdFrom, createdTo, network, completed }: DeletionConditions,
  snapshot: SurveySnapshot,
): Filter[] {
  if (createdFrom === undefined && createdTo === undefined && network === undefined)
    throw problems.invalidField('created_from', 'missing_parameter', {}, detail('deletion_conditions'))
  const filters: Filter[] = []
  const errors: FieldError[] = []
  const add = (field: string, value: string | undefined, parse: (value: string) => Condition | ValueError) => {
    if (value === undefined) return
    const test = parse(value)
    if ('code' in test) errors.push({ ...test, field })
    else filters.push({ name: field, operator: '=', value, test })
  }
  const time = (operator: '>=' | '<=') => (value: string) => {
    const test = metaCondition('_created_at', operator, value)
    return 'code' in test ? valueError('invalid_date') : test
  }
  add('created_from', createdFrom, time('>='))
  add('created_to', createdTo, time('<='))
  add('network', network, (value) => networkCondition(value, snapshot))
  add('completed', completed?.toString(), (value) => metaCondition('_completed', '=', value))
  if (errors.length > 0) throw problems.invalid(errors)
  return filters
}

function networkCondition(value: string, snapshot: SurveySnapshot): Condition | ValueError {
  if (!storesAddresses(snapshot)) return valueError('no_ip_addresses')
  const network = parseNetwork(value.trim())
  return network === undefined ? valueError('invalid_network') : { kind: 'network', network }
}
