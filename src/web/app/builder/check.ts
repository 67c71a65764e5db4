import { findCurrentVersion } from '../../../domain/survey/versions.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { parseStructureText, type StructureFault, warningsIn } from './read-structure.ts'

/** What the script of the editor is told about a text that is not saved. */
export interface Checked {
  errors: StructureFault[]
  /** What does not keep it from being saved. */
  warnings: StructureFault[]
  /** The current version: another than the one that is edited means that somebody has saved since. */
  version: number
}

/** Checks a text as saving would, and stores nothing. */
export async function checkStructure({ context, survey, form }: SurveyRequest): Promise<PageResult> {
  const text = formValue(form, 'structure') ?? ''
  const reading = parseStructureText(text)
  const { version } = await findCurrentVersion(context, survey.id)
  return { json: { errors: reading.errors, warnings: warningsIn(reading, text), version } satisfies Checked }
}
