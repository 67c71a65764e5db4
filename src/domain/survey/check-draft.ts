import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import type { NumberedStructure } from '../structure/numbering.ts'
import { checkForPublishing, type PublishingCheck } from '../structure/publishing/findings.ts'
import { isComplete } from '../text/catalog.ts'
import { findSnapshot } from './queries.ts'
import { findWorkingCopy, type WorkingCopy } from './working-copy.ts'

/**
 * Checks the draft of a survey, or the published structure if there is no draft, before it is published (role Edit or
 * Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function checkDraft(
  context: Context,
  surveyId: number,
): Promise<PublishingCheck & Pick<WorkingCopy, 'revision'>> {
  const copy = await findWorkingCopy(context, surveyId)
  const check = await checkBeforePublishing(context, surveyId, copy, copy.published)
  return { ...check, revision: copy.revision }
}

/**
 * Checks a structure with which an author wants to replace the published one (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function checkBeforePublishing(
  context: Context,
  surveyId: number,
  structure: NumberedStructure,
  { structure: published }: NumberedStructure,
): Promise<PublishingCheck> {
  const { texts } = await findSnapshot(context, surveyId, ['Edit', 'Test'])
  await nextTurn()
  const check = checkForPublishing(structure, { published, hasSystemTexts: (code) => isComplete(code, texts) })
  await nextTurn()
  return check
}
