// Converts a contract from OpenAPI 3.1 to 3.0.3, for tools that do not read 3.1 (docs/adr/0085-openapi-3.0.md).

type Json = boolean | null | number | string | Json[] | { [member: string]: Json }
type Node = { [member: string]: Json }

const isNode = (value: Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (node: Json | undefined, convert: (value: Json) => Json): Node =>
  Object.fromEntries(Object.entries(node as Node).map(([key, value]) => [key, convert(value)]))

/**
 * The schema keywords that are left out. OpenAPI 3.0 does not have them, except `not`, which generators do not support.
 * Without these keywords, a schema only permits more.
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

/** The media types that are left out where a body can be JSON. */
export const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Returns a contract as OpenAPI 3.0.3. Operations, parameters, statuses and media types stay; schemas permit the same or
 * more; `webhooks` becomes `x-webhooks`; links lose bodies that are objects.
 * @param contract a bundled OpenAPI 3.1 document
 */
export function downConvert(contract: Node): Node {
  const { openapi: _, info, webhooks, jsonSchemaDialect: __, ...rest } = contract
  const { summary, license, ...about } = info as Node
  const converted = {
    openapi: '3.0.3',
    info: { ...about, license: { name: (license as Node).name! }, 'x-summary': summary ?? null },
    ...(convert(rest) as Node),
    ...(webhooks && { 'x-webhooks': convert(webhooks) }),
  }
  return withoutUnused(withPlainBranches(converted))
}

/** Loosens alternatives that openapi-generator's Java does not compile: a map becomes any object, a list of lists any list. */
function withPlainBranches(document: Node): Node {
  const schemas = (document.components as Node).schemas as Record<string, Node>
  const plain = (branch: Node): Node => {
    const { type, properties, items, ...rest } = schemas[String(branch.$ref).replace(/.*\//, '')] ?? branch
    if (type === 'object' && !properties && !rest.enum) return { type: 'object' }
    return type === 'array' && (items as Node).type === 'array' ? { type, items: {} } : branch
  }
  return JSON.parse(JSON.stringify(document), (key, value) => (key === 'anyOf' ? value.map(plain) : value))
}

/** Removes the components that only omitted keywords referred to. */
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

/** Generated clients send a body in every media type at once, or have a function for each media type. */
function withoutForms(body: Node): Node {
  const content = Object.entries(body.content as Node).filter(([type]) => !FORMS.includes(type))
  return 'application/json' in (body.content as Node) ? { ...body, content: Object.fromEntries(content) } : body
}

/** openapi-generator only accepts a text as the body of a link, although OpenAPI permits any value. */
function convertLink(link: Json): Json {
  const { requestBody, ...rest } = link as Node
  return requestBody === undefined || typeof requestBody === 'string' ? link : rest
}

/** Converts a schema. Every step permits the same values or more. */
function convertSchema(schema: Json): Json {
  if (!isNode(schema)) return {}
  const node: Node = Object.fromEntries(Object.entries(schema).filter(([key]) => !OMITTED_KEYWORDS.includes(key)))
  if ('const' in node) constToEnum(node)
  if (Array.isArray(node.examples)) {
    node.example ??= node.examples[0]!
    delete node.examples
  }
  // Most regular expressions, such as those of Python, have no classes of Unicode properties.
  if (String(node.pattern).includes('\\p{')) delete node.pattern
  // openapi-generator's Go compares the length of a file as if it were a text.
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
  // Generators give all members of an object the type of its additional members.
  if (isNode(node.additionalProperties))
    node.additionalProperties = node.properties ? true : convertSchema(node.additionalProperties)
  // After the omissions, more than one branch of `oneOf` could match.
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

/** In most languages `_id` and `id` would be one name: the first becomes an additional member. */
function withoutAliases(properties: Node, schema: Node): Node {
  const isAlias = (name: string) => name.startsWith('_') && name.slice(1) in properties
  if (Array.isArray(schema.required)) schema.required = schema.required.filter((name) => !isAlias(name as string))
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !isAlias(name)))
}

/** Returns whether a branch does more than to require members of the schema that contains it. */
const hasType = (branch: Node): boolean =>
  ['$ref', 'type', 'properties', 'enum', 'anyOf', 'oneOf', 'allOf', 'items'].some((keyword) => keyword in branch)

/** In OpenAPI 3.0 an exclusive limit is a flag beside the limit. */
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

/** Turns an alternative `{ type: null }` into `nullable`, which OpenAPI 3.0 only has beside a type. */
function convertNullBranch(node: Node): void {
  if (!Array.isArray(node.anyOf)) return
  const others = (node.anyOf as Node[]).filter(({ type }) => type !== 'null')
  if (others.length === node.anyOf.length) return
  delete node.anyOf
  if (others.length === 1 && others[0]!.type) Object.assign(node, { ...others[0], ...node, nullable: true })
  else node.anyOf = [...others, { type: 'object', nullable: true, enum: [null] }]
}

/** Turns a list of types into `nullable` and alternatives. Three or more types become any value. */
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
 * In OpenAPI 3.0 members beside a `$ref` are ignored. Generated Java code does not compile with a default beside a
 * `$ref`.
 */
function convertReference({ $ref, default: _, ...rest }: Node): Node {
  return Object.keys(rest).length ? { ...rest, allOf: [{ $ref: $ref! }] } : { $ref: $ref! }
}
