import { readFileSync } from 'node:fs'
import { validate as validateBySchema } from '@hyperjump/json-schema/openapi-3-0'
import { describe, expect, it } from '@jest/globals'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { versions } from '../../scripts/versions.ts'
import { downConvert, FORMS, OMITTED_KEYWORDS } from '../../src/lib/down-convert.ts'
import fc from '../support/fast-check.ts'

type Json = boolean | null | number | string | Json[] | Node
type Node = { [member: string]: Json }

const read = (path: string): Node => JSON.parse(readFileSync(path, 'utf8'))
const isNode = (value: Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const at = (document: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (value as Node | undefined)?.[key], document)

/**
 * A schema of the OpenAPI 3.1 document, the same schema in the converted document, and the examples of the first
 * document for this schema.
 */
interface Pair {
  place: string
  original: Json
  converted: Json
  examples: Json[]
}

/**
 * Returns the pairs of all named schemas, and of all other schemas in the document. A schema that occurs several times
 * is returned once.
 */
function pairsOf(original: Node, converted: Node): Pair[] {
  const pairs = new Map<string, Pair>()
  const add = (path: string[], schema: Json, others: Json[]) => {
    const counterpart = at(converted, path)
    if (counterpart === undefined || !isNode(schema)) return
    const examples = [...others, ...((schema.examples as Json[] | undefined) ?? [])]
    const key = JSON.stringify([schema, counterpart])
    const equal = pairs.get(key)
    if (equal) equal.examples.push(...examples)
    else pairs.set(key, { place: path.join('/'), original: schema, converted: counterpart, examples })
  }
  const visit = (value: Json, path: string[]) => {
    if (!isNode(value) && !Array.isArray(value)) return
    const { schema, example, examples } = value as Node
    const named = isNode(examples) ? Object.values(examples).map((each) => (each as { value: Json }).value) : []
    if (schema !== undefined) add([...path, 'schema'], schema, [...(example === undefined ? [] : [example]), ...named])
    for (const [key, child] of Object.entries(value)) {
      if (key === 'schemas' && path[0] === 'components')
        for (const [name, each] of Object.entries(child as Node)) add([...path, key, name], each, [])
      else if (!['schema', 'example', 'examples'].includes(key) && !key.startsWith('x-')) visit(child, [...path, key])
    }
  }
  visit(original, [])
  return [...pairs.values()]
}

/**
 * Compiles a schema of either document. References to other schemas are resolved in the converted document. The two
 * schemas of a pair therefore differ only by the conversion of the schema itself, not of the schemas to which it
 * refers.
 */
function compilerOf(original: Node, converted: Node): (schema: Json) => ValidateFunction {
  const schemas = {
    ...(at(original, ['components', 'schemas']) as Node),
    ...(at(converted, ['components', 'schemas']) as Node),
  }
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema({ components: { schemas } } as object, 'document')
  const absolute = (schema: Json): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'))
  return (schema) => ajv.compile(absolute(schema))
}

/**
 * Returns whether the conversion makes a schema less strict, apart from the schemas to which it refers.
 */
function isLoosened(schema: Json, isMap: (branch: Node) => boolean): boolean {
  if (Array.isArray(schema)) return schema.some((each) => isLoosened(each, isMap))
  if (typeof schema === 'boolean') return true
  if (!isNode(schema)) return false
  const { type, properties = {}, additionalProperties, anyOf, oneOf, discriminator } = schema
  const types = [type ?? []].flat().filter((each) => each !== 'null')
  const names = Object.keys(properties as Node)
  const branches = (anyOf ?? []) as Node[]
  return (
    OMITTED_KEYWORDS.some((keyword) => keyword !== 'x-request-schema' && keyword in schema) ||
    types.length > 2 ||
    (schema.format === 'binary' && 'minLength' in schema) ||
    String(schema.pattern).includes('\\p{') ||
    type === 'null' ||
    (oneOf !== undefined && !discriminator) ||
    branches.some((branch) => isMap(branch) || !('type' in branch || '$ref' in branch || 'const' in branch)) ||
    (names.length > 0 && isNode(additionalProperties)) ||
    names.some((name) => name.startsWith('_') && names.includes(name.slice(1))) ||
    Object.values(properties as Node).some((each) => isLoosened(each, isMap)) ||
    ['items', 'allOf', 'anyOf', 'oneOf'].some((key) => key in schema && isLoosened(schema[key]!, isMap)) ||
    (isNode(additionalProperties) && isLoosened(additionalProperties, isMap))
  )
}

const values = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    ' ',
    'x',
    '1',
    -1,
    0,
    1,
    2,
    1.5,
    1e300,
    true,
    false,
    [],
    [null],
    {},
    { en: 'x' },
    { en: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
)

/**
 * Returns an example in which one value is changed, added or removed. The numbers in `turns` choose this value: each is
 * the position of a member or an item.
 */
function changed(example: Json, turns: readonly number[], value: Json, remove: boolean): Json {
  if (typeof example !== 'object' || example === null || turns.length === 0) return value
  const keys = Object.keys(example)
  const turn = turns[0]! % (keys.length + 1)
  const copy = structuredClone(example) as Node
  if (turn === keys.length) {
    if (Array.isArray(copy)) copy.push(value)
    else copy.unknown = value
  } else if (remove && turns.length === 1 && !Array.isArray(copy)) delete copy[keys[turn]!]
  else copy[keys[turn]!] = changed(copy[keys[turn]!]!, turns.slice(1), value, remove)
  return copy
}

const variant = fc.tuple(fc.nat(), fc.array(fc.nat(40), { maxLength: 4 }), values, fc.boolean())

describe.each(versions)('the contract of %s as OpenAPI 3.0', (version) => {
  const original = read(`generated/${version}/openapi.json`)
  const converted = downConvert(original)
  const pairs = pairsOf(original, converted)
  const compile = compilerOf(original, converted)
  const schemas = at(original, ['components', 'schemas']) as Record<string, Node>
  const isMap = (branch: Node): boolean => {
    const { type, properties, items } = schemas[String(branch.$ref).replace(/.*\//, '')] ?? branch
    return (type === 'object' && !properties) || (type === 'array' && (items as Node).type === 'array')
  }

  it('is valid according to the official schema for OpenAPI 3.0', async () => {
    const { valid, errors } = (await validateBySchema(
      'https://spec.openapis.org/oas/3.0/schema',
      converted,
      'BASIC',
    )) as { valid: boolean; errors?: object[] }
    expect([valid, errors ?? []]).toEqual([true, []])
  })

  it('has the same operations, parameters, statuses and media types, except forms where the body can also be JSON', () => {
    const { paths } = original as { paths: Record<string, Record<string, Node>> }
    for (const [path, item] of Object.entries(paths))
      for (const [method, operation] of Object.entries(item)) {
        const place = ['paths', path, method]
        const typesOf = (document: Node, ...keys: string[]) =>
          Object.keys((at(document, [...place, ...keys]) ?? {}) as Node)
        expect(typesOf(converted)).toEqual(typesOf(original))
        if (method === 'parameters') continue
        expect(at(converted, [...place, 'operationId'])).toBe(operation.operationId)
        expect((at(converted, [...place, 'parameters']) as Node[] | undefined)?.map(parameterName(converted))).toEqual(
          (operation.parameters as Node[] | undefined)?.map(parameterName(original)),
        )
        expect(typesOf(converted, 'responses')).toEqual(typesOf(original, 'responses'))
        for (const status of typesOf(original, 'responses'))
          for (const part of ['content', 'headers'])
            expect(typesOf(converted, 'responses', status, part)).toEqual(typesOf(original, 'responses', status, part))
        const bodies = typesOf(original, 'requestBody', 'content')
        const kept = bodies.filter((type) => !bodies.includes('application/json') || !FORMS.includes(type))
        expect(typesOf(converted, 'requestBody', 'content')).toEqual(kept)
      }
  })

  it('accepts every example of the contract', () => {
    const rejected = pairs.flatMap(({ place, converted: schema, examples }) => {
      const isValid = compile(schema)
      return examples.filter((example) => !isValid(example)).map(() => [place, isValid.errors?.[0]])
    })
    expect(pairs.flatMap(({ examples }) => examples).length).toBeGreaterThan(300)
    expect(rejected).toEqual([])
  })

  it('accepts every value that the contract accepts, and other values only where the conversion leaves out a rule', () => {
    const [stricter, looser]: [Json[], Json[]] = [[], []]
    for (const { place, original: schema, converted: counterpart, examples } of pairs) {
      const [isValid, isValidConverted] = [compile(schema), compile(counterpart)]
      const loosened = isLoosened(schema, isMap)
      for (const [which, turns, value, remove] of fc.sample(variant, { seed: 7, numRuns: 150 })) {
        const example = examples.length ? examples[which % examples.length]! : value
        const instance = changed(example, turns, value, remove)
        const [accepted, acceptedConverted] = [isValid(instance), isValidConverted(instance)]
        if (accepted && !acceptedConverted) stricter.push([place, instance])
        if (!accepted && acceptedConverted && !loosened) looser.push([place, instance])
      }
    }
    expect(stricter.slice(0, 3)).toEqual([])
    expect(looser.slice(0, 3)).toEqual([])
  })
})

const parameterName =
  (document: Node) =>
  ({ $ref, ...parameter }: Node): string => {
    const { in: place, name } = ($ref ? at(document, String($ref).slice(2).split('/')) : parameter) as Node
    return `${place} ${name}`
  }
