import type { Schemas } from './operation.ts'

/** Returns the structure in a body: its member `structure`, or the body itself. */
export const structureIn = (body: Schemas['StructureChange']): unknown =>
  'structure' in body ? body.structure : bareStructure(body)

/** Returns an empty object for a body without `title` and `form`: its `name` is probably the name of the survey. */
const bareStructure = (body: Schemas['UntitledStructure']): object =>
  body.title === undefined && body.form === undefined ? {} : body
