// Converts a contract from OpenAPI 3.1 to 3.0.3, for tools that do not read 3.1. The result permits every value that the
// contract permits, and sometimes more: what 3.0 cannot say, or what generators turn into code that does not compile, is
// left out. No schema may have the name `Response`, the name of a parameter, or a name that consists of `New` and the name
// of another schema, because generators use these names themselves.

type Json = boolean | null | number | string | Json[] | { [member: string]: Json }
type Node = { [member: string]: Json }

const isNode = (value: Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (node: Json | undefined, convert: (value: Json) => Json): Node =>
  Object.fromEntries(Object.entries(node as Node).map(([key, value]) => [key, convert(value)]))

/**
 * The schema keywords that are left out. OpenAPI 3.0 has none of them except `not`, which generators do not support.
 * Without these keywords, a schema permits the same values or more.
 */
export const OMITTED_KEYWORDS = [
  'if',
  'then',
  'else',
  'not',
  'propertyNames',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'contentMediaType',
  'contentEncoding',
  'contentSchema',
  'x-request-schema',
  '$comment',
]

/** The keywords that apply to values of one type only. */
const KEYWORDS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
}
const TYPE_KEYWORDS = new Set(Object.values(KEYWORDS_OF_TYPE).flat())

/** The media types that are left out if a body can also be JSON. */
export const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Returns a contract as OpenAPI 3.0.3. Operations, parameters, statuses and media types are kept, except the media
 * types of forms if the body can also be JSON. Schemas permit the same values or more. `webhooks` becomes `x-webhooks`.
 * The request body of a link is removed if it is not a string.
 * @param contract a bundled OpenAPI 3.1 document
 */
export function downConvert(contract: object): Node {
  const { openapi: _, info, webhooks, jsonSchemaDialect: __, ...rest } = contract as Node
  const { summary, license, ...about } = info as Node
  const converted = {
    openapi: '3.0.3',
    info: { ...about, license: { name: (license as Node).name! }, 'x-summary': summary ?? null },
    ...(convert(rest) as Node),
    ...(webhooks && { 'x-webhooks': convert(webhooks) }),
  }
  return withoutUnused(withPlainBranches(converted))
}

/**
 * Replaces branches of `anyOf` for which the Java code of openapi-generator does not compile: a map becomes any object,
 * and a list of lists becomes any list.
 */
function withPlainBranches(document: Node): Node {
  const schemas = (document.components as Node).schemas as Record<string, Node>
  const plain = (branch: Node): Node => {
    const { type, properties, items, ...rest } = schemas[String(branch.$ref).replace(/.*\//, '')] ?? branch
    if (type === 'object' && !properties && !rest.enum) return { type: 'object' }
    return type === 'array' && (items as Node).type === 'array' ? { type, items: {} } : branch
  }
  return JSON.parse(JSON.stringify(document), (key, value) => (key === 'anyOf' ? value.map(plain) : value))
}

/** Removes the components to which only omitted keywords referred. */
function withoutUnused(document: Node): Node {
  const { securitySchemes, ...components } = document.components as Record<string, Node>
  const used = new Set<string>()
  const visit = (text: string) => {
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue
      used.add(`${kind}/${name}`)
      visit(JSON.stringify(components[kind!]![name!]))
    }
  }
  visit(JSON.stringify({ ...document, components: {} }))
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return { ...document, components: { securitySchemes: securitySchemes!, ...Object.fromEntries(kept) } }
}

/** Converts a part of the document that is not a schema. */
function convert(part: Json, key = ''): Json {
  if (Array.isArray(part)) return part.map((item) => convert(item))
  if (!isNode(part) || key === 'example' || key === 'examples' || key.startsWith('x-')) return part
  if (typeof part.$ref === 'string') return { $ref: part.$ref }
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (name === 'schema') return [name, convertSchema(value)]
      if (name === 'schemas') return [name, mapValues(value, convertSchema)]
      if (name === 'requestBody') return [name, convert(withoutForms(value as Node))]
      if (name === 'links') return [name, mapValues(value, convertLink)]
      return [name, convert(value, name)]
    }),
  )
}

/**
 * Removes the media types of forms from a body that can also be JSON. Otherwise generated clients would send the body
 * in all media types at once, or would have a function for each media type.
 */
function withoutForms(body: Node): Node {
  const content = Object.entries(body.content as Node).filter(([type]) => !FORMS.includes(type))
  return 'application/json' in (body.content as Node) ? { ...body, content: Object.fromEntries(content) } : body
}

/**
 * Removes the request body of a link if it is not a text. OpenAPI permits any value, but openapi-generator accepts only
 * texts.
 */
function convertLink(link: Json): Json {
  const { requestBody, ...rest } = link as Node
  return requestBody === undefined || typeof requestBody === 'string' ? link : rest
}

/** Converts a schema. After each step, the schema permits the same values or more. */
function convertSchema(schema: Json): Json {
  if (!isNode(schema)) return {}
  const node: Node = Object.fromEntries(Object.entries(schema).filter(([key]) => !OMITTED_KEYWORDS.includes(key)))
  if ('const' in node) constToEnum(node)
  if (Array.isArray(node.examples)) {
    node.example ??= node.examples[0]!
    delete node.examples
  }
  // Most languages, such as Python, do not support Unicode properties in regular expressions.
  if (String(node.pattern).includes('\\p{')) delete node.pattern
  // The Go code of openapi-generator treats a file as a text when it checks the length.
  if (node.format === 'binary') delete node.minLength
  convertChildren(node)
  convertLimits(node)
  convertNullBranch(node)
  if (node.type === 'null') return convertTypes(node, ['null'])
  if (Array.isArray(node.type)) return convertTypes(node, node.type as string[])
  if (node.type === 'integer') node.format ??= Number(node.maximum ?? Infinity) < 2 ** 31 ? 'int32' : 'int64'
  return '$ref' in node ? convertReference(node) : node
}

function constToEnum(node: Node): void {
  node.enum = [node.const!]
  node.type ??= typeof node.const
  delete node.const
}

function convertChildren(node: Node): void {
  if (node.items !== undefined) node.items = convertSchema(node.items)
  else if (node.type === 'array') node.items = {}
  if (node.properties) node.properties = withoutAliases(mapValues(node.properties, convertSchema), node)
  // Generators use the type of additional members for all members of an object.
  if (isNode(node.additionalProperties))
    node.additionalProperties = node.properties ? true : convertSchema(node.additionalProperties)
  // Without the omitted keywords, a value could match several branches of `oneOf`, so that it would be invalid.
  if (node.oneOf && !node.discriminator) {
    node.anyOf ??= node.oneOf
    delete node.oneOf
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (!Array.isArray(node[keyword])) continue
    const branches = (node[keyword] as Json[]).map(convertSchema) as Node[]
    const [kept, open] = [branches.filter(hasType), branches.some((branch) => !hasType(branch))]
    if (kept.length === 0 || (open && keyword !== 'allOf')) delete node[keyword]
    else node[keyword] = kept
  }
}

/**
 * Removes `_id` if there is also `id`, because generated code in most languages would give both the same name. `_id`
 * is then an additional member.
 */
function withoutAliases(properties: Node, schema: Node): Node {
  const isAlias = (name: string) => name.startsWith('_') && name.slice(1) in properties
  if (Array.isArray(schema.required)) schema.required = schema.required.filter((name) => !isAlias(name as string))
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !isAlias(name)))
}

/** Returns whether a branch describes a value. Other branches only list required members. */
const hasType = (branch: Node): boolean =>
  ['$ref', 'type', 'properties', 'enum', 'anyOf', 'oneOf', 'allOf', 'items'].some((keyword) => keyword in branch)

/** Converts exclusive limits: in OpenAPI 3.0, `exclusiveMinimum` is a flag that makes `minimum` exclusive. */
function convertLimits(node: Node): void {
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof node[exclusive] !== 'number') continue
    node[limit] = node[exclusive]
    node[exclusive] = true
  }
}

/** Replaces a branch `{ type: null }` with `nullable`, which OpenAPI 3.0 permits only together with a type. */
function convertNullBranch(node: Node): void {
  if (!Array.isArray(node.anyOf)) return
  const others = (node.anyOf as Node[]).filter(({ type }) => type !== 'null')
  if (others.length === node.anyOf.length) return
  delete node.anyOf
  if (others.length === 1 && others[0]!.type) Object.assign(node, { ...others[0], ...node, nullable: true })
  else node.anyOf = [...others, { type: 'object', nullable: true, enum: [null] }]
}

/**
 * Replaces a list of types with `nullable` and `anyOf`. A list of three or more types is removed, so that any value is
 * valid.
 */
function convertTypes(node: Node, types: string[]): Json {
  const nullable = types.includes('null') && { nullable: true }
  const known = types.filter((type) => type !== 'null')
  const { type: _, ...rest } = node
  if (known.length === 1) return convertSchema({ ...rest, type: known[0]!, ...nullable })
  const shared = Object.fromEntries(Object.entries(rest).filter(([key]) => !TYPE_KEYWORDS.has(key)))
  if (known.length !== 2) return shared
  const alternatives = known.map((type) => {
    const own = Object.entries(rest).filter(([key]) => KEYWORDS_OF_TYPE[type]?.includes(key))
    return convertSchema({ type, ...Object.fromEntries(own), ...nullable })
  })
  return { ...shared, anyOf: alternatives }
}

/**
 * Converts a reference. OpenAPI 3.0 ignores members next to `$ref`, so `$ref` is moved into `allOf`. A default next to
 * `$ref` is removed, because generated Java code does not compile with it.
 */
function convertReference({ $ref, default: _, ...rest }: Node): Node {
  return Object.keys(rest).length ? { ...rest, allOf: [{ $ref: $ref! }] } : { $ref: $ref! }
}
