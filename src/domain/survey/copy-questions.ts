import type { Context } from '../context.ts'
import { type CopiedStructure, type CopySource, copyBetween } from '../structure/edit/copy-between.ts'
import { changeDraft } from './drafts.ts'
import { findWorkingCopy } from './working-copy.ts'

/**
 * Copies a question or a page of the draft of a survey (role Edit or Test) into the draft of another one (role Edit), see
 * {@link copyBetween}.
 * @param page the page of the other survey, from 0, at whose end a question is copied; the last one by default
 * @param label describes the copy, for undo and redo
 * @throws {Problem} `survey_not_found`, `forbidden`, `question_not_found`, `structure_changed` for a page that does not
 *   exist, `invalid_structure` if the other survey would become too large
 */
export async function copyToSurvey(
  context: Context,
  surveyId: number,
  source: CopySource,
  to: { survey: number; page?: number | undefined },
  label = 'question' in source ? 'Question copied' : 'Page copied',
): Promise<CopiedStructure> {
  const { structure } = await findWorkingCopy(context, surveyId)
  return changeDraft(
    context,
    to.survey,
    (target) => copyBetween(structure, source, target, to.page ?? Math.max(0, target.form.length - 1)),
    label,
  )
}
