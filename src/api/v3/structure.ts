import { replaceStructure } from '../../domain/survey/commands.ts'
import { findStructure } from '../../domain/survey/queries.ts'
import type { Operation, Schemas } from './operation.ts'

export const getStructure: Operation<'getStructure'> = async ({ context, path }) => {
  return { status: 200, body: await findStructure(context, path.survey_id) }
}

export const updateStructure: Operation<'updateStructure'> = async ({ context, path, query, body }) => {
  const saved = await replaceStructure(
    context,
    path.survey_id,
    'structure' in body ? body.structure : bareStructure(body),
  )
  return { status: 200, body: query.warnings ? { status: 'OK', ...saved } : 'OK' }
}

/** Returns an empty object for a body without `title` and `form`: its `name` is probably the name of the survey. */
const bareStructure = (body: Schemas['UntitledStructure']): object =>
  body.title === undefined && body.form === undefined ? {} : body
