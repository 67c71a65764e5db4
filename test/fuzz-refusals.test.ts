import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { sectionTitles } from '../scripts/section-titles.ts'
import { versions } from '../scripts/versions.ts'
import { fieldErrorCodes } from '../src/domain/field-error.ts'

interface Refusal {
  code: string
  operations?: string[]
  methods?: string[]
  section: string
  reason: string
}
const refusals: Refusal[] = JSON.parse(readFileSync('tools/fuzz/refusals.json', 'utf8'))
const operations = new Set(
  versions.flatMap((version) => {
    const { paths } = JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>
    }
    return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
  }),
)

describe('tools/fuzz/refusals.json', () => {
  test('lists each code once, with sections of docs/specification.md and a reason', () => {
    const titles = sectionTitles('docs/specification.md')
    expect(refusals.filter(({ section }) => section.split(', ').some((part) => !titles.has(part)))).toEqual([])
    expect(refusals.filter(({ reason }) => reason.length < 20)).toEqual([])
    const codes = refusals.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)])
  })

  test('names operations that exist', () => {
    const named = refusals.flatMap(({ operations = [] }) => operations)
    expect(named.filter((id) => !operations.has(id))).toEqual([])
  })

  test('lists no field error that the contract describes, except four codes', () => {
    const described = refusals.filter(
      ({ code }) => code in fieldErrorCodes && !fieldErrorCodes[code as keyof typeof fieldErrorCodes].service,
    )
    // The file states the reason for each of these exceptions.
    const exceptions = ['invalid_structure', 'invalid_csv', 'invalid_characters', 'invalid_sender']
    expect(described.filter(({ code }) => !exceptions.includes(code))).toEqual([])
  })
})
