import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { describeChange } from '../structure/change.ts'
import { findSurvey } from './queries.ts'
import { SurveyVersion } from './version.ts'

/** A version as people look back on it. */
export interface VersionHistoryEntry {
  version: number
  /** User name of who made it. */
  username: string
  createdAt: Date
  isCurrent: boolean
  /** What it changed of the version before it; undefined for the first. */
  change: string | undefined
}

/**
 * The versions of a survey's structure, the newest first, each with what it changed.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listVersionHistory(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; versions: VersionHistoryEntry[] }> {
  const { version: current } = await findSurvey(context, surveyId, 'Edit')
  // One more than is shown: what the last of them changed is seen from the one before it.
  const [kept, total] = await context.em.findAndCount(
    SurveyVersion,
    { survey: surveyId },
    { orderBy: { version: 'desc' }, offset, limit: limit + 1, populate: ['structure', 'creator'] },
  )
  const versions = kept.slice(0, limit).map(({ version, creator, createdAt, structure }, index) => {
    const before = kept[index + 1]
    return {
      version,
      username: creator.$.username,
      createdAt,
      isCurrent: version === current,
      change: before && describeChange(before.structure, structure),
    }
  })
  return { total, versions }
}
