import { replaceStructure } from '../../domain/survey/commands.ts'
import { findStructure } from '../../domain/survey/queries.ts'
import { warningView } from '../warning-view.ts'
import type { Operation } from './operation.ts'
import { structureIn } from './structure-in.ts'

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await findStructure(context, path.survey_id) }
}

export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const { warnings, ...saved } = await replaceStructure(context, path.survey_id, structureIn(body))
  return {
    status: 200,
    body: query.warnings ? { status: 'OK', ...saved, warnings: warnings.map(warningView) } : 'OK',
  }
}
