import type { Schema } from './schema.ts'

/** Returns a reference to a named schema of a structure. */
export const ref = (name: string, description?: string): Schema => ({
  $ref: `#/$defs/${name}`,
  ...(description !== undefined && { description }),
})

/** Returns the schema of a text: a plain string in the default language, or one string per language. */
export const text = (description: string): Schema => ref('Text', description)
