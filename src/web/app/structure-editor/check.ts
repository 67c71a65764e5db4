import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { nextTurn } from '../../../lib/next-turn.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { parseStructureText, type StructureError, warningsIn } from './parse-structure-text.ts'

/** The reply to the editor script: errors and warnings of an unsaved text. */
export interface Checked {
  errors: StructureError[]
  /** Warnings, which do not prevent saving. */
  warnings: StructureError[]
  /**
   * The current version. If it is newer than the version that the editor shows, someone else has saved a version
   * meanwhile.
   */
  version: number
}

/** Checks a text with the same rules that apply when a text is saved. Stores nothing. */
export async function checkStructure({ context, survey, form }: SurveyRequest): Promise<PageResult> {
  const text = formValue(form, 'structure') ?? ''
  const parsed = parseStructureText(text)
  const { version } = await findCurrentVersion(context, survey.id)
  await nextTurn()
  return { json: { errors: parsed.errors, warnings: warningsIn(parsed, text), version } satisfies Checked }
}
