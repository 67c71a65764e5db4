import { replaceStructure } from '../../domain/survey/commands.ts'
import { findStructure } from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await findStructure(context, path.survey_id) }
}

/** A body that has neither `title` nor `form` is no structure: its name may be meant for the survey. */
export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const bare = body.title === undefined && body.form === undefined ? {} : body
  const saved = await replaceStructure(context, path.survey_id, body.structure ?? bare)
  return { status: 200, body: query.warnings ? { status: 'OK', ...saved } : 'OK' }
}
