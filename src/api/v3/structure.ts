import { replaceStructure } from '../../domain/survey/commands.ts'
import { findStructure } from '../../domain/survey/queries.ts'
import type { Operation } from './operation.ts'

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await findStructure(context, path.survey_id) }
}

/** Treats a body without `title` and `form` as empty: its `name` is probably the name of the survey. */
export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const bare = body.title === undefined && body.form === undefined ? {} : body
  const saved = await replaceStructure(context, path.survey_id, body.structure ?? bare)
  return { status: 200, body: query.warnings ? { status: 'OK', ...saved } : 'OK' }
}
