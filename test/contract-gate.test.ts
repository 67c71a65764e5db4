import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { breaksBetween, currentPath } from '../scripts/contract-gate.ts'

interface Operation {
  operationId: string
  parameters: object[]
  responses: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { required?: string[]; properties: Record<string, object> }> }
}

let folder: string
let text: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-gate-'))
  text = await readFile(currentPath('v3'), 'utf8')
})

afterAll(() => rm(folder, { recursive: true }))

/** What the gate says of the contract after a change. */
async function breaksOf(change: (document: Document) => void): Promise<string[]> {
  const document = JSON.parse(text) as Document
  change(document)
  const revision = path.join(folder, 'revision.json')
  await writeFile(revision, JSON.stringify(document))
  return (await breaksBetween(currentPath('v3'), revision)).map(({ message }) => message)
}

const operation = ({ paths }: Document, id: string) =>
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === id)!

describe('the gate lets no break pass', () => {
  it.each<[string, (document: Document) => void, RegExp]>([
    ['a path that is gone', ({ paths }) => void delete paths['/surveys/{survey_id}/duplicate/'], /path-removed/],
    [
      'a member of a reply that is gone',
      ({ components }) => void delete components.schemas.Report!.properties.title,
      /property-removed/,
    ],
    [
      'a member of a request that is needed now',
      ({ components }) => {
        const { ReportCreation } = components.schemas
        ReportCreation!.required = [...(ReportCreation!.required ?? []), 'colour']
        ReportCreation!.properties.colour = { type: 'string' }
      },
      /required-properties-added/,
    ],
    [
      'a parameter that is needed now',
      (document) =>
        operation(document, 'listSurveys').parameters.push({
          name: 'colour',
          in: 'query',
          required: true,
          description: 'Which colour.',
          schema: { type: 'string' },
        }),
      /parameter-became-required/,
    ],
    [
      'an answer that is gone',
      (document) => void delete operation(document, 'listSurveys').responses['200'],
      /response-removed/,
    ],
  ])('%s', async (_, change, rule) => {
    expect(await breaksOf(change)).toEqual(expect.arrayContaining([expect.stringMatching(rule)]))
  })

  it('but what is only more', async () => {
    const breaks = await breaksOf((document) => {
      document.components.schemas.Report!.properties.colour = { type: 'string', description: 'Its colour.' }
      operation(document, 'listSurveys').parameters.push({
        name: 'colour',
        in: 'query',
        description: 'Which colour.',
        schema: { type: 'string' },
      })
    })
    expect(breaks).toEqual([])
  })
})

describe('the gate lets nothing pass that others cannot read', () => {
  /** What the gate prints of a file, as a program of its own: the parsers do not run inside Jest's contexts. */
  const judge = (file: string) =>
    promisify(execFile)(process.execPath, ['scripts/contract-gate.ts', file]).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )

  it.each(['v2', 'v3'])('finds nothing in %s', async (version) => {
    expect(await judge(currentPath(version))).toBe('')
  })

  it('finds what is no OpenAPI 3.1, by each of three', async () => {
    const document = JSON.parse(text)
    delete document.info.title
    document.paths['/'].get.responses = { twohundred: { description: 3 } }
    const file = path.join(folder, 'bad.json')
    await writeFile(file, JSON.stringify(document))
    const said = await judge(file)
    for (const by of ['official schema', 'swagger-parser', 'scalar']) expect(said).toContain(`${by}: `)
  })
})
