import { Readable } from 'node:stream'
import * as domain from '../../domain/account-data/activity.ts'
import type { Context } from '../../domain/context.ts'
import type { SecurityEntry } from '../../domain/security/queries.ts'
import type { InstallationKind } from '../../domain/security/record.ts'
import { attachment } from '../attachment.ts'
import type { Operation, Schemas } from './operation.ts'

const DEFAULT_ENTRIES = 50

type Query = Parameters<Operation<'listActivity'>>[0]['query']

const searchOf = ({ kind, user, ...days }: Query, survey?: number) => ({
  survey,
  kind,
  by: user,
  ...domain.momentsOf(days),
})

export const listActivity: Operation<'listActivity'> = ({ context, query }) => list(context, query)

export const listSurveyActivity: Operation<'listSurveyActivity'> = ({ context, path, query }) =>
  list(context, query, path.survey_id)

async function list(context: Context, query: Query, survey?: number) {
  const search = { ...searchOf(query, survey), cursor: query.cursor }
  const { entries, names, next } = await domain.describeActivity(context, search, query.page_size ?? DEFAULT_ENTRIES)
  const results = entries.map((entry) => entryView(entry, names.accounts))
  return { status: 200, body: { results, next_cursor: next ?? null } } as const
}

function entryView(
  { chain, seq, at, kind, by, details }: SecurityEntry,
  accounts: ReadonlyMap<number, string>,
): Schemas['ActivityEntry'] {
  const { survey, by: _, ...more } = details
  return {
    id: `${chain < 0 ? 's' : 'a'}${Math.abs(chain)}-${seq}`,
    at: at.toISOString(),
    kind: kind as Exclude<typeof kind, InstallationKind>,
    user: by === null ? null : { id: by, name: accounts.get(by) ?? null },
    survey: typeof survey === 'number' ? survey : null,
    details: more,
  }
}

export const exportActivity: Operation<'exportActivity'> = ({ context, query }) => csv(context, query)

export const exportSurveyActivity: Operation<'exportSurveyActivity'> = ({ context, path, query }) =>
  csv(context, query, path.survey_id)

async function csv(context: Context, query: Query, survey?: number) {
  const rows = await domain.exportActivity(context, searchOf(query, survey))
  const name = survey === undefined ? 'activity.csv' : `activity-${survey}.csv`
  return {
    status: 200,
    stream: Readable.from(rows, { objectMode: false }),
    headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': attachment(name) },
  } as const
}
