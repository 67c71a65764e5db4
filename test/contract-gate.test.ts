import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { breaksBetween, currentPath, releasedPath } from '../scripts/contract-gate.ts'

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

/** Returns the messages of the gate, the check for breaking changes, after a change of the contract. */
async function breaksOf(change: (document: Document) => void, since = currentPath('v3')): Promise<string[]> {
  const document = JSON.parse(text) as Document
  change(document)
  const revision = path.join(folder, 'revision.json')
  await writeFile(revision, JSON.stringify(document))
  return (await breaksBetween(since, revision)).map(({ message }) => message)
}

const operation = ({ paths }: Document, id: string) =>
  Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === id)!

describe('breaksBetween', () => {
  it.each<[string, (document: Document) => void, RegExp]>([
    ['a removed path', ({ paths }) => void delete paths['/surveys/{survey_id}/duplicate/'], /path-removed/],
    [
      'a removed member of a reply',
      ({ components }) => void delete components.schemas.Report!.properties.title,
      /property-removed/,
    ],
    [
      'a new required member of a request',
      ({ components }) => {
        const { ReportCreation } = components.schemas
        ReportCreation!.required = [...(ReportCreation!.required ?? []), 'colour']
        ReportCreation!.properties.colour = { type: 'string' }
      },
      /required-properties-added/,
    ],
    [
      'a new required parameter',
      (document) =>
        operation(document, 'listSurveys').parameters.push({
          name: 'colour',
          in: 'query',
          required: true,
          description: 'The colour.',
          schema: { type: 'string' },
        }),
      /parameter-became-required/,
    ],
    [
      'a removed reply',
      (document) => void delete operation(document, 'listSurveys').responses['200'],
      /response-removed/,
    ],
  ])('reports %s', async (_, change, rule) => {
    expect(await breaksOf(change)).toEqual(expect.arrayContaining([expect.stringMatching(rule)]))
  })

  it('compares with the released contract, which is one line of the repository', async () => {
    expect((await readFile(releasedPath('v3'), 'utf8')).indexOf('\n')).toBeGreaterThan(500_000)
    const removed = ({ paths }: Document) => void delete paths['/surveys/{survey_id}/duplicate/']
    expect((await breaksOf(removed, releasedPath('v3'))).join()).toMatch(/path-removed/)
  })

  it('accepts new optional members and parameters', async () => {
    const breaks = await breaksOf((document) => {
      document.components.schemas.Report!.properties.colour = { type: 'string', description: 'Its colour.' }
      operation(document, 'listSurveys').parameters.push({
        name: 'colour',
        in: 'query',
        description: 'The colour.',
        schema: { type: 'string' },
      })
    })
    expect(breaks).toEqual([])
  })
})

describe('the contract gate', () => {
  /** Runs the gate in a separate process, because the parsers do not run inside Jest. @returns its error output */
  const runGate = (file: string) =>
    promisify(execFile)(process.execPath, ['scripts/contract-gate.ts', file]).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    )

  it.each(['v2', 'v3'])('accepts the contract of %s', async (version) => {
    expect(await runGate(currentPath(version))).toBe('')
  })

  it('reports an invalid OpenAPI 3.1 document with each of its three validators', async () => {
    const document = JSON.parse(text)
    delete document.info.title
    document.paths['/'].get.responses = { twohundred: { description: 3 } }
    const file = path.join(folder, 'invalid.json')
    await writeFile(file, JSON.stringify(document))
    const output = await runGate(file)
    for (const validator of ['official schema', 'swagger-parser', 'scalar']) expect(output).toContain(`${validator}: `)
  })
})
