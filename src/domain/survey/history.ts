import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { type ChangeSummary, summarizeChange } from '../structure/change.ts'
import { findSurvey } from './queries.ts'
import { SurveyVersion } from './version.ts'

/** A version in the history of a survey. */
export interface VersionHistoryEntry {
  version: number
  /** Username of its author. */
  username: string
  createdAt: Date
  isCurrent: boolean
  /** A summary of the changes since the previous version; undefined for the first version. */
  change: ChangeSummary | undefined
}

/**
 * Returns the versions of a survey's structure, newest first, each with a summary of its changes.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listVersionHistory(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; versions: VersionHistoryEntry[] }> {
  const { version: current } = await findSurvey(context, surveyId, 'Edit')
  // Reads one version more than requested, to compare the last requested version with its predecessor.
  const [rows, total] = await context.em.findAndCount(
    SurveyVersion,
    { survey: surveyId },
    { orderBy: { version: 'desc' }, offset, limit: limit + 1, populate: ['structure', 'creator'] },
  )
  const versions = rows.slice(0, limit).map(({ version, creator, createdAt, structure }, index) => {
    const before = rows[index + 1]
    return {
      version,
      username: creator.$.username,
      createdAt,
      isCurrent: version === current,
      change: before && summarizeChange(before.structure, structure),
    }
  })
  return { total, versions }
}
