import { csvTable } from '../../lib/csv.ts'
import { assertAdministrator } from '../account/administrator.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import {
  type ActivitySearch,
  type LogName,
  listActivity,
  peopleInLog,
  type SecurityEntry,
} from '../security/queries.ts'
import { findSecurityLogNames, type SecurityLogNames } from './security-log-names.ts'

/** Number of entries read at a time, which limits the memory of an export. */
const BATCH_ENTRIES = 1_000

/** Entries of the log, with the names of the people and objects in them. */
export interface Activity {
  entries: SecurityEntry[]
  names: SecurityLogNames
  /** The cursor of the following entries, if there are any. */
  next: string | undefined
}

/**
 * Returns what people did: with a survey that the actor owns, with the account of the actor and all its surveys, or, for
 * administrators, with the installation.
 * @throws {Problem} `survey_not_found`, `user_not_found`, `forbidden`, `invalid_request`
 */
export async function describeActivity(context: Context, search: ActivitySearch, limit: number): Promise<Activity> {
  await authorizeLog(context, search)
  const { entries, next } = await listActivity(context, search, limit)
  return { entries, names: await findSecurityLogNames(context, entries), next }
}

async function authorizeLog(context: Context, { survey, isOfInstallation }: LogName): Promise<void> {
  if (isOfInstallation) await assertAdministrator(context)
  else if (survey !== undefined) await authorize(context, survey, 'Owner')
}

/**
 * Returns the people in the log, by id.
 * @throws {Problem} `survey_not_found`, `user_not_found`, `forbidden`
 */
export async function findPeopleInLog(context: Context, log: LogName): Promise<ReadonlyMap<number, string>> {
  await authorizeLog(context, log)
  const people = await peopleInLog(context, log)
  const entries = people.map((by) => ({ chain: -1, by, details: {} }))
  const { accounts } = await findSecurityLogNames(context, entries)
  return new Map(people.map((id) => [id, accounts.get(id) ?? '']))
}

/** Days of a search, in UTC. The last day is included. */
export interface Days {
  first_day?: string | undefined
  last_day?: string | undefined
}

/**
 * Returns the moments of days.
 * @throws {Problem} `invalid_request`
 */
export function momentsOf({ first_day: first, last_day: last }: Days): Pick<ActivitySearch, 'since' | 'until'> {
  const read = (name: keyof Days, day: string | undefined, days: number) => {
    if (day === undefined) return undefined
    const at = new Date(`${day}T00:00:00Z`)
    if (Number.isNaN(at.getTime())) throw problems.invalidField(name, 'invalid_date')
    at.setUTCDate(at.getUTCDate() + days)
    return at
  }
  return { since: read('first_day', first, 0), until: read('last_day', last, 1) }
}

const COLUMNS = ['at', 'kind', 'user_id', 'user', 'survey_id', 'survey', 'details']

/**
 * Streams the log as CSV (RFC 4180), newest entry first. Cells that a spreadsheet would run as a formula begin with an
 * apostrophe. The database connection is released between two batches.
 * @throws {Problem} as {@link describeActivity}
 */
export async function exportActivity(context: Context, search: ActivitySearch): Promise<AsyncGenerator<Buffer>> {
  const first = await describeActivity(context, search, BATCH_ENTRIES)
  return rowsFrom(context, search, first)
}

async function* rowsFrom(context: Context, search: ActivitySearch, first: Activity): AsyncGenerator<Buffer> {
  const table = csvTable(COLUMNS, { formulaGuard: true, bom: false })
  yield Buffer.from(table.header)
  for (let part = first; ; ) {
    yield Buffer.from(table.rows(part.entries.map((entry) => rowOf(entry, part.names))))
    if (part.next === undefined) return
    part = await describeActivity(context, { ...search, cursor: part.next }, BATCH_ENTRIES)
  }
}

function rowOf({ at, kind, by, details }: SecurityEntry, { accounts, surveys }: SecurityLogNames) {
  const { survey, by: _, ...more } = details
  const name = typeof survey === 'number' ? (surveys.get(survey) ?? '') : ''
  return [at.toISOString(), kind, by, (by && accounts.get(by)) || '', survey ?? '', name, JSON.stringify(more)] as (
    | string
    | number
  )[]
}
