import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { errorCodesOf } from '../scripts/error-codes.ts'
import { httpErrorCodes } from '../src/api/engine/http-error.ts'
import { fieldErrorCodes } from '../src/domain/field-error.ts'
import { problemCodes } from '../src/domain/problem-codes.ts'

const versions = globSync('openapi/v*/openapi.yaml').map((file) => file.split('/')[1]!)
const contractOf = (version: string) => JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8'))

interface Example {
  code: string
  isField: boolean
}

/** Returns the codes in the examples of a document: the codes of errors, and the codes of their fields. */
function examplesIn(node: unknown, inExample = false): Example[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap((item) => examplesIn(item, inExample))
  const { code, field, detail, description, step } = node as Record<string, unknown>
  // The code of a failed step of a sign-in is that of the identity provider.
  const isOwn = step === undefined
  const isError =
    inExample &&
    isOwn &&
    typeof code === 'string' &&
    [field, detail, description].some((member) => member !== undefined)
  return [
    ...(isError ? [{ code, isField: field !== undefined }] : []),
    ...Object.entries(node).flatMap(([name, value]) => examplesIn(value, inExample || /^examples?$/.test(name))),
  ]
}

interface Media {
  example?: { code: string }
  examples?: Record<string, { value: { code: string } }>
}

interface Schema {
  $ref?: string
  pattern?: string
  'x-message'?: string
}

interface ErrorReply {
  $ref?: string
  'x-codes'?: string[]
  content?: object
}

describe.each(versions)('the error codes of %s', (version) => {
  it('are listed in the contract', async () => {
    expect(contractOf(version)['x-error-codes']).toEqual(await errorCodesOf(version))
  })

  it('are listed in the guide', async () => {
    const guide: string = contractOf(version).info.description
    const { problems, fields } = await errorCodesOf(version)
    for (const { code, status, meaning } of problems)
      expect(guide).toContain(`| \`${code}\` | ${status} | ${meaning} |`)
    for (const { code, meaning } of fields) expect(guide).toContain(`| \`${code}\` | ${meaning} |`)
  })

  it('are listed for each error reply of each operation, with an example of each code', async () => {
    const contract = contractOf(version)
    const status = new Map((await errorCodesOf(version)).problems.map((problem) => [problem.code, problem.status]))
    const operations = Object.values<Record<string, { responses?: Record<string, ErrorReply> }>>(contract.paths)
    const replies = operations.flatMap((item) =>
      Object.values(item).flatMap(({ responses = {} }) => Object.entries(responses)),
    )
    const errors = replies.filter(([code]) => Number(code) >= 400)
    expect(errors.length).toBeGreaterThan(100)
    for (const [code, reply] of errors) {
      const { 'x-codes': codes, content } = reply.$ref
        ? contract.components.responses[reply.$ref.split('/').at(-1)!]
        : reply
      expect(codes.map((name: string) => status.get(name))).toEqual(codes.map(() => Number(code)))
      const { example, examples } = Object.values<Media>(content)[0]!
      const shown = examples ? Object.values(examples).map(({ value }) => value) : [example!]
      expect(shown.map((error) => error.code)).toEqual(codes)
    }
  })

  it('include every code that occurs in an example', async () => {
    const { problems, fields } = await errorCodesOf(version)
    const listed = {
      problems: new Set(problems.map(({ code }) => code)),
      fields: new Set(fields.map(({ code }) => code)),
    }
    const examples = examplesIn(contractOf(version))
    expect(examples.length).toBeGreaterThan(10)
    expect(examples.filter(({ code, isField }) => !listed[isField ? 'fields' : 'problems'].has(code))).toEqual([])
  })
})

/** Patterns whose violations the server reports before validation: they exclude the character U+0000. */
const CHECKED_EARLIER = new Set(['^[^\\x00]*$'])
/**
 * Keywords whose subschemas report no errors of their own. An error of `anyOf`, `oneOf` or `not` is reported for the
 * schema that contains the keyword, and `if` causes no error.
 */
const REPORTED_ABOVE = new Set(['anyOf', 'oneOf', 'not', 'if'])

/**
 * Returns the patterns that a request can violate and that have no message in words, by their paths in the contract.
 */
function patternsWithoutMessage(contract: ReturnType<typeof contractOf>): string[] {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    const { $ref, pattern, 'x-message': message } = node as Schema
    if ($ref) visit(contract.components[$ref.split('/')[2]!][$ref.split('/')[3]!], $ref)
    if ($ref || 'x-request-schema' in node) return
    if (typeof pattern === 'string' && !message && !CHECKED_EARLIER.has(pattern)) found.add(path)
    for (const [key, member] of Object.entries(node)) if (!REPORTED_ABOVE.has(key)) visit(member, `${path}/${key}`)
  }
  type Item = Record<string, { parameters?: { in?: string }[]; requestBody?: unknown }>
  for (const [path, item] of Object.entries<Item>(contract.paths))
    for (const [method, { parameters = [], requestBody }] of Object.entries(item)) {
      // If a path parameter matches no resource, the reply is 404 without a message about the parameter.
      visit([requestBody, ...parameters.filter((parameter) => parameter.in !== 'path')], `${method} ${path}`)
    }
  return [...found]
}

describe.each(versions)('the error messages of %s', (version) => {
  it('say in words what a text must look like, and quote no regular expression', () => {
    expect(patternsWithoutMessage(contractOf(version))).toEqual([])
  })
})

describe('the list of error codes', () => {
  const sources = globSync('src/**/*.ts')
    .filter((file) => !/domain\/(field-error|problem-codes)\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

  it.each([
    ['fields', Object.keys(fieldErrorCodes)],
    ['problems', Object.keys(problemCodes)],
    ['HTTP', Object.keys(httpErrorCodes)],
  ])('contains only codes that the source uses: %s', (_, codes) => {
    expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  })
})
