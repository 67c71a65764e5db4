// Rewrites parts of a contract that tools of other projects cannot read, without a change of its meaning.

interface Schema {
  pattern?: string
  examples?: unknown[]
  example?: unknown
  $ref?: string
}

interface Parameter {
  in: string
  required?: boolean
  example?: unknown
  examples?: unknown
  allowEmptyValue?: boolean
  schema?: Schema
  $ref?: string
}

interface Contract {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/** Makes a contract readable for more tools. */
export function makeInteroperable(document: Contract): void {
  rewritePatterns(document)
  for (const parameter of parametersOf(document)) {
    const schema = resolve(document, parameter.schema)
    addExample(parameter, schema)
    if (parameter.in === 'query' && parameter.schema?.$ref?.endsWith('/Flag')) parameter.allowEmptyValue = true
  }
}

/** An escape of a regular expression. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|.)/gis
const FIRST_NON_ASCII = 0x80

/**
 * Replaces the escapes of characters outside of ASCII in all patterns with the characters: Go does not know `\uFEFF`, and
 * Ruby takes `\x9F` for a byte.
 */
function rewritePatterns(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Schema
  if (typeof schema.pattern === 'string')
    schema.pattern = schema.pattern.replace(ESCAPE, (written, long?: string, short?: string) => {
      const code = Number.parseInt(long ?? short ?? '0', 16)
      return code >= FIRST_NON_ASCII ? String.fromCharCode(code) : written
    })
  for (const member of Object.values(value)) rewritePatterns(member)
}

/** Escapes the characters in JSON that editors do not show, such as those in rewritten patterns. */
export const escapeInvisible = (json: string): string =>
  json.replace(/[\u0080-\u00a0\ufeff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

function parametersOf({ paths, components }: Contract): Parameter[] {
  const lists = Object.values(paths).flatMap((path) => [
    path.parameters,
    ...Object.values(path).map((operation) => (operation as { parameters?: unknown }).parameters),
  ])
  const own = lists.flatMap((list) => (Array.isArray(list) ? (list as Parameter[]) : []))
  return [...Object.values(components.parameters ?? {}), ...own.filter(({ $ref }) => !$ref)]
}

const resolve = ({ components }: Contract, schema: Schema | undefined): Schema | undefined =>
  schema?.$ref ? { ...components.schemas[schema.$ref.split('/').at(-1)!], ...schema } : schema

/** Copies the example of the schema of a required parameter, because most tools read only the example of a parameter. */
function addExample(parameter: Parameter, schema: Schema | undefined): void {
  if (!parameter.required || parameter.example !== undefined || parameter.examples !== undefined) return
  const example = schema?.example ?? schema?.examples?.[0]
  if (example !== undefined) parameter.example = example
}
