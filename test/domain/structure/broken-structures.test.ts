import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import type { FieldError } from '../../../src/domain/field-error.ts'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { brokenStructures } from '../../support/broken-structures.ts'

const lineOf = ({ field, code, message }: FieldError): string => `${field} ${code}: ${message}`

/** Returns the changes by position and by the errors that they cause. */
function table(): Record<string, Record<string, string>> {
  const changes: Record<string, Record<string, string>> = {}
  for (const { pointer, change, structure } of brokenStructures()) {
    const errors = checkStructure(structure)
      .map(lineOf)
      // An error at the changed position itself is written without the position.
      .map((line) => (line.startsWith(`${pointer} `) ? line.slice(pointer.length) : line))
      .join('; ')
    if (errors === '') continue
    changes[pointer] ??= {}
    const at = changes[pointer]
    at[errors] = at[errors] === undefined ? change : `${at[errors]} ${change}`
  }
  return changes
}

const file = new URL('broken-structures.json', import.meta.url)

/**
 * The table pins the pointer, the code and the text of each error, and their order. If an error changes on purpose,
 * run this with WRITE=1, and read every line that changes.
 */
describe('the errors of broken structures', () => {
  it('are the same for each wrong value at each position', () => {
    const found = table()
    if (process.env.WRITE) writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`)
    expect(found).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })
})
