import type { Context } from '../context.ts'
import { can, findAccess } from '../group/access.ts'
import { checkName, MAX_NAME_CHARACTERS, truncateName } from '../name.ts'
import { insertSurvey } from '../survey/commands.ts'
import { lockSurvey } from '../survey/queries.ts'
import { numberedStructureOf } from '../survey/save-version.ts'
import type { Survey } from '../survey/survey.ts'
import { Report } from './report.ts'

const SUFFIX = ' (copy)'
const copyName = (name: string) => truncateName(name, MAX_NAME_CHARACTERS - SUFFIX.length) + SUFFIX

/**
 * Duplicates a survey under a new name and address: structure, settings, tags and, with the role Analyze, reports, but
 * neither responses nor collectors.
 * @param name absent: the original's name followed by "(copy)"
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function duplicateSurvey(context: Context, id: number, name?: string | undefined): Promise<Survey> {
  const { em, now } = context
  const original = await lockSurvey(context, id, 'Edit')
  const { structure, removed } = await numberedStructureOf(context, original)
  const { live, settings, tags } = original
  const wanted = checkName(name ?? copyName(original.name))
  const copy = await insertSurvey(context, { name: wanted, live, structure, removed, settings, tags: [...tags] })
  // Filters of reports reveal answers, so the role Analyze is required.
  const reports = can(await findAccess(context, id), 'Analyze') ? { survey: original } : { id: [] }
  for (const report of await em.find(Report, reports, { orderBy: { id: 'asc' } })) {
    const { title, charts, query, shareTextAnswers } = report
    const questions = report.questions ?? null
    em.create(Report, { survey: copy, title, questions, charts, query, shareTextAnswers, createdAt: now })
  }
  await em.flush()
  return copy
}
