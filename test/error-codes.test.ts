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

/** Returns the codes in the examples of a document: of errors and of their fields. */
function examplesIn(node: unknown, inExample = false): Example[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap((item) => examplesIn(item, inExample))
  const { code, field, detail, description } = node as Record<string, unknown>
  const isError =
    inExample && typeof code === 'string' && [field, detail, description].some((member) => member !== undefined)
  return [
    ...(isError ? [{ code, isField: field !== undefined }] : []),
    ...Object.entries(node).flatMap(([name, value]) => examplesIn(value, inExample || /^examples?$/.test(name))),
  ]
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

  it('include every code of an example', async () => {
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

describe('the lists of error codes', () => {
  const sources = globSync('src/**/*.ts')
    .filter((file) => !/domain\/(field-error|problem-codes)\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')

  it.each([
    ['fields', Object.keys(fieldErrorCodes)],
    ['problems', Object.keys(problemCodes)],
    ['HTTP', Object.keys(httpErrorCodes)],
  ])('have no unused code of %s', (_, codes) => {
    expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  })
})
