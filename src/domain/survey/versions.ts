import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { authorize } from '../group/access.ts'
import { problems } from '../problem.ts'
import { type ChangeSummary, diffStructures, type StructureDiff, summarizeChange } from '../structure/diff.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import type { Question, Questionnaire } from '../structure/questionnaire.ts'
import type { Structure } from '../structure/structure.ts'
import { findSnapshot, findSurvey, lockSurvey } from './queries.ts'
import { numberedStructureOf, saveVersion } from './save-version.ts'
import { Survey, SurveyVersion } from './survey.ts'

/** A version as lists show it. */
export interface VersionSummary {
  survey: number
  version: number
  creator: number
  createdAt: Date
  isCurrent: boolean
}

/** A version with its structure. */
export interface VersionDetails extends VersionSummary {
  structure: Structure
}

const summaryOf = (row: SurveyVersion, current: number): VersionSummary => ({
  survey: row.survey.id,
  version: row.version,
  creator: row.creator.id,
  createdAt: row.createdAt,
  isCurrent: row.version === current,
})

/**
 * Returns the versions of a survey's structure, oldest first.
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function listVersions(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; versions: VersionSummary[] }> {
  const { version: current } = await findSurvey(context, surveyId, 'Edit')
  const order = { orderBy: { version: 'asc' }, offset, limit } as const
  const [versions, total] = await context.em.findAndCount(SurveyVersion, { survey: surveyId }, order)
  return { total, versions: versions.map((row) => summaryOf(row, current)) }
}

async function versionOf({ em }: Context, survey: number, version: number): Promise<SurveyVersion> {
  return em.findOneOrFail(
    SurveyVersion,
    { survey, version },
    { populate: ['structure'], failHandler: problems.versionNotFound },
  )
}

/**
 * Returns a version with its structure.
 * @throws {Problem} `survey_not_found`, `forbidden`, `version_not_found`
 */
export async function findVersion(context: Context, surveyId: number, version: number): Promise<VersionDetails> {
  const survey = await findSurvey(context, surveyId, 'Edit')
  const row = await versionOf(context, surveyId, version)
  const summary = summaryOf(row, survey.version)
  return {
    ...summary,
    structure: summary.isCurrent ? (await numberedStructureOf(context, survey)).structure : row.structure,
  }
}

/**
 * Saves the structure of an earlier version as a new version. Later versions are kept.
 * @throws {Problem} `survey_not_found`, `forbidden`, `version_not_found`
 */
export async function restoreVersion(context: Context, surveyId: number, version: number): Promise<VersionDetails> {
  const survey = await lockSurvey(context, surveyId, 'Edit')
  const { structure } = await versionOf(context, surveyId, version)
  await saveVersion(context, survey, structure)
  return findVersion(context, surveyId, survey.version)
}

/**
 * Returns the differences between two versions.
 * @throws {Problem} `survey_not_found`, `forbidden`, `version_not_found`
 */
export async function diffVersions(context: Context, surveyId: number, a: number, b: number): Promise<StructureDiff> {
  await findSurvey(context, surveyId, 'Edit')
  const [from, to] = [await versionOf(context, surveyId, a), await versionOf(context, surveyId, b)]
  return diffStructures(from.structure, to.structure)
}

/**
 * Returns the current structure and the number of its version (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findCurrentVersion(
  context: Context,
  surveyId: number,
): Promise<NumberedStructure & { version: number }> {
  await authorize(context, surveyId, ['Edit', 'Test'])
  const survey = await context.em.findOneOrFail(Survey, surveyId, { failHandler: problems.surveyNotFound })
  return { version: survey.version, ...(await numberedStructureOf(context, survey)) }
}

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

/**
 * Returns the questions of a survey in the order of its structure.
 * @throws {Problem} `survey_not_found`
 */
export async function listQuestions(
  context: Context,
  surveyId: number,
  { offset, limit }: Slice,
): Promise<{ total: number; questions: readonly Question[]; q: Questionnaire }> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'Member')
  return { total: q.questions.length, questions: q.questions.slice(offset, offset + limit), q }
}

/**
 * Returns a question by its id or its identifier.
 * @throws {Problem} `survey_not_found`, `question_not_found`
 */
export async function findQuestion(
  context: Context,
  surveyId: number,
  name: string,
): Promise<{ question: Question; q: Questionnaire }> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'Member')
  const question = q.byId.get(name) ?? q.byIdentifier.get(name)
  if (!question) throw problems.questionNotFound()
  return { question, q }
}
