import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { demoStructure } from '../../../src/command/demo.ts'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { publishedSchema } from '../../../src/domain/structure/published-schema.ts'
import { structureSchema } from '../../../src/domain/structure/schema.ts'
import { normaliseStructure } from '../../../src/domain/structure/structure.ts'
import { questionTypes } from '../../../src/questions/index.ts'

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(structureSchema)
const validatePublished = new Ajv2020({ strict: false, allErrors: true }).compile(publishedSchema as object)
const questionExamples = Object.values(structureSchema.$defs!)
  .flatMap(({ properties, examples = [] }) => (properties?.idname ? examples : []))
  .map((example) => example as { idname: string })
const errors = (structure: unknown) => (validate(structure) ? [] : validate.errors)

describe('structureSchema', () => {
  test('has a valid example of every question type', () => {
    expect(questionExamples.map(({ idname }) => idname)).toEqual(Object.keys(questionTypes))
    for (const example of questionExamples) {
      const filled = JSON.parse(JSON.stringify({ ...example, id: 'q' }).replaceAll('""', '"A"')) as object
      const structure = { title: 'A', form: [{ type: 'page', children: [filled] }] }
      expect([example.idname, checkStructure(structure), errors(structure)]).toEqual([example.idname, [], []])
      const full = normaliseStructure(structure)
      expect([example.idname, checkStructure(full), errors(full)]).toEqual([example.idname, [], []])
    }
  })

  test('accepts a complete survey, both as authored and as stored', () => {
    expect(checkStructure(demoStructure)).toEqual([])
    expect(errors(demoStructure)).toEqual([])
    expect(errors(normaliseStructure(demoStructure))).toEqual([])
  })

  test('rejects invalid structures', () => {
    for (const invalid of [[], {}, { title: 4 }, { title: 'A', form: 3 }, { title: 'A', quotas: [{ limit: 0 }] }])
      expect([invalid, validate(invalid)]).toEqual([invalid, false])
  })
})

describe('publishedSchema', () => {
  test('accepts every example and the demo survey, both as authored and as stored', () => {
    const questions = questionExamples.map((example, index) => ({ ...example, id: `q${index}` }))
    for (const structure of [demoStructure, { title: 'A', form: [{ children: questions }] }]) {
      expect([validatePublished(structure), validatePublished.errors]).toEqual([true, null])
      expect([validatePublished(normaliseStructure(structure)), validatePublished.errors]).toEqual([true, null])
    }
  })

  test.each([
    ['a misspelt setting', { idname: 'text-response', requird: true }, '/form/0/children/0'],
    ['a misspelt question type', { idname: 'single-choise' }, '/form/0/children/0/idname'],
    [
      'a misspelt member of a choice',
      { idname: 'single-choice', children: [{ choices: [{ label: 'A', scroe: 1 }] }] },
      '/form/0/children/0/children/0/choices/0',
    ],
  ])('reports %s with its path', (_, question, instancePath) => {
    expect(validatePublished({ title: 'A', form: [{ type: 'page', children: [question] }] })).toBe(false)
    expect(validatePublished.errors?.map(({ instancePath }) => instancePath)).toContain(instancePath)
  })

  test('accepts members that the survey editor of the original service adds, and members whose names begin with x-', () => {
    const option = { type: 'string', has_cols: false, cols: '', 'x-note': 1 }
    const question = { idname: 'text-response', 'x-owner': 'me', children: [option] }
    expect(
      validatePublished({ $schema: 's', title: 'A', uniques: [], form: [{ type: 'page', children: [question] }] }),
    ).toBe(true)
  })
})
