import { restructureSurvey } from '../../domain/survey/commands.ts'
import { structureOf } from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await structureOf(context, path.survey_id) }
}

export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const saved = await restructureSurvey(context, path.survey_id, body.structure ?? body)
  return { status: 200, body: query.warnings ? { status: 'OK', ...saved } : 'OK' }
}
