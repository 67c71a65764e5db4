import type { Schemas } from './operation.ts'

/** Returns the structure in a body: its member `structure`, or the body itself. */
export const structureIn = (body: Schemas['StructureChange']): unknown =>
  'structure' in body ? body.structure : bareStructure(body)

/**
 * Returns the body as a structure. Returns an empty object if the body has neither `title` nor `form`, because its
 * `name` is then probably the name of the survey.
 */
const bareStructure = (body: Schemas['UntitledStructure']): object =>
  body.title === undefined && body.form === undefined ? {} : body
