import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'

interface Schema {
  $ref?: string
  pattern?: string
  'x-message'?: string
}

/**
 * Patterns whose violations the server reports before validation: they exclude the character U+0000 or the name
 * `__proto__`.
 */
const CHECKED_EARLIER = new Set(['^[^\\x00]*$', '^(?!__proto__$)[^\\x00]*$'])
/**
 * Keywords whose subschemas report no errors of their own. An error of `anyOf`, `oneOf` or `not` is reported for the
 * schema that contains the keyword, and `if` causes no error.
 */
const REPORTED_ABOVE = new Set(['anyOf', 'oneOf', 'not', 'if'])

describe.each(globSync('openapi/v*/openapi.yaml').map((file) => file.split('/')[1]!))(
  'the contract of %s',
  (version) => {
    const document = JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8'))
    const target = (ref: string) =>
      ref
        .slice(2)
        .split('/')
        .reduce((node, key) => node[key], document)

    it('has a message in words for each pattern that a request must match', () => {
      const unexplained = new Set<string>()
      const seen = new Set<unknown>()
      const visit = (node: unknown, path: string): void => {
        if (typeof node !== 'object' || node === null || seen.has(node)) return
        seen.add(node)
        const { $ref, pattern, 'x-message': message } = node as Schema
        if ($ref) visit(target($ref), $ref)
        if ($ref || 'x-request-schema' in node) return
        if (typeof pattern === 'string' && !message && !CHECKED_EARLIER.has(pattern)) unexplained.add(path)
        for (const [key, member] of Object.entries(node)) if (!REPORTED_ABOVE.has(key)) visit(member, `${path}/${key}`)
      }
      for (const [path, item] of Object.entries<
        Record<string, { parameters?: { in?: string }[]; requestBody?: unknown }>
      >(document.paths))
        for (const [method, { parameters, requestBody }] of Object.entries(item)) {
          visit(requestBody, `${method} ${path}`)
          for (const parameter of parameters ?? []) if (parameter.in !== 'path') visit(parameter, `${method} ${path}`)
        }
      expect([...unexplained]).toEqual([])
    })
  },
)
