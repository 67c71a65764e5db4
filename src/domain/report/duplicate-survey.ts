import type { Context } from '../context.ts'
import { can, findAccess } from '../group/access.ts'
import { checkName, MAX_NAME_CHARACTERS, truncateName } from '../name.ts'
import { insertSurvey } from '../survey/commands.ts'
import { lockSurvey } from '../survey/queries.ts'
import { numberedStructureOf } from '../survey/save-version.ts'
import type { Survey } from '../survey/survey.ts'
import { findWorkingCopy } from '../survey/working-copy.ts'
import { copyTheme } from '../theme/store.ts'
import { Report } from './report.ts'

const COPY_SUFFIX = ' (copy)'
const copyName = (name: string) => truncateName(name, MAX_NAME_CHARACTERS - COPY_SUFFIX.length) + COPY_SUFFIX

/**
 * Duplicates a survey with a new name and URL: its structure, settings, theme, texts, tags and, if the actor has the
 * role Analyze, reports. Responses and collectors are not copied.
 * @param name absent: the name of the original followed by "(copy)"
 * @param unpublished whether the copy stays closed until it is published. Such a copy has the draft of the original, if
 *   there is one, instead of the published structure.
 * @throws {Problem} `survey_not_found`, `invalid_request`
 */
export async function duplicateSurvey(
  context: Context,
  id: number,
  name?: string | undefined,
  unpublished = false,
): Promise<Survey> {
  const { em, now } = context
  const original = await lockSurvey(context, id, 'Edit')
  const { structure, removed } = unpublished
    ? await findWorkingCopy(context, id)
    : await numberedStructureOf(context, original)
  await em.populate(original, ['texts'])
  const { settings, texts, tags } = original
  const live = original.live && !unpublished
  const checkedName = checkName(name ?? copyName(original.name))
  const content = { name: checkedName, live, unpublished, structure, removed, settings, texts, tags: [...tags] }
  const copy = await insertSurvey(context, content)
  await copyTheme(em, id, { accountId: copy.owner.id, surveyId: copy.id })
  // The filters of a report can contain answers, so copying reports requires the role Analyze.
  const reports = can(await findAccess(context, id), 'Report') ? { survey: original } : { id: [] }
  for (const report of await em.find(Report, reports, { orderBy: { id: 'asc' } })) {
    const { title, charts, query, shareTextAnswers } = report
    const questions = report.questions ?? null
    em.create(Report, { survey: copy, title, questions, charts, query, shareTextAnswers, createdAt: now })
  }
  await em.flush()
  return copy
}
