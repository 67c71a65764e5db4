import { currentVersion } from '../../../domain/survey/versions.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import type { SurveyRequest } from '../surveys/frame.ts'
import { readStructure, type StructureFault, warningsIn } from './read-structure.ts'

/** What the script of the editor is told about a text that is not saved. */
export interface Checked {
  faults: StructureFault[]
  /** What does not keep it from being saved. */
  warnings: StructureFault[]
  /** The current version: another than the one that is edited means that somebody has saved since. */
  version: number
}

/** Checks a text as saving would, and stores nothing. */
export async function checkText({ context, survey, form }: SurveyRequest): Promise<PageResult> {
  const text = one(form, 'structure') ?? ''
  const reading = readStructure(text)
  const { version } = await currentVersion(context, survey.id)
  return { json: { faults: reading.faults, warnings: warningsIn(reading, text), version } satisfies Checked }
}
