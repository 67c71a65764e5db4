import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { run } from '../run.ts'
import { root } from '../versions.ts'
import { errorCodesOf, type Parameter, type Prepared } from './document.ts'
import { operationsSource } from './typescript-operations.ts'
import { resourcesSource } from './typescript-resources.ts'

const source = path.join(root, 'sdk/typescript')

/**
 * Builds the npm package `<folder>/canvass-client-<version>.tgz` from the generated operations and types of all
 * versions and the handwritten code, compiled, with declarations.
 * @returns the path of the package
 */
export async function buildTypescript(folder: string, prepared: readonly Prepared[]): Promise<string> {
  const work = path.join(folder, '.work')
  await rm(folder, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const part of ['src', 'examples', 'tsconfig.json', 'package.json', 'README.md', 'CHANGELOG.md'])
    await cp(path.join(source, part), path.join(work, part), { recursive: true })
  await cp(path.join(root, 'LICENSE'), path.join(work, 'LICENSE'))
  const { version } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')) as { version: string }
  await writeFile(path.join(work, 'src/version.ts'), `export const version = '${version}'\n`)
  const codes = errorCodesOf(prepared).map((code) => `  | '${code}'\n`)
  const errorCodes = `/** The stable codes of errors. */\nexport type ErrorCode =\n${codes.join('')}`
  await writeFile(path.join(work, 'src/error-codes.gen.ts'), errorCodes)
  for (const contract of prepared) await generate(contract, path.join(work, 'src', contract.version))
  await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', work], root)
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder], work)) as [
    { filename: string },
  ]
  await rename(work, path.join(folder, 'package'))
  return path.join(folder, packed.filename)
}

async function generate(prepared: Prepared, folder: string): Promise<void> {
  await createClient({
    // The generator changes its input.
    input: { ...filtersTyped(structuredClone(prepared.document)) },
    output: { path: folder, module: { extension: '.js' }, entryFile: false },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript'],
  })
  await writeFile(path.join(folder, 'operations.gen.ts'), operationsSource(prepared))
  await writeFile(path.join(folder, 'resources.gen.ts'), resourcesSource(prepared))
  const types = path.join(folder, 'types.gen.ts')
  await writeFile(types, withOtherKind(await readFile(types, 'utf8')))
}

/**
 * Gives `OtherQuestion` the type `OtherKind` instead of any string. Otherwise every question with a misspelt type or
 * member would be an `OtherQuestion`.
 * @throws Error if the generated types are not as expected
 */
function withOtherKind(types: string): string {
  const changed = types.replace(/(export type OtherQuestion = \{[^}]*?\n {4}idname: )string;/, '$1OtherKind;')
  if (changed === types) throw new Error('The type of idname in OtherQuestion has changed')
  return `import type { OtherKind } from '../other-kind.js'\n\n${changed}`
}

type Document = Prepared['document']

const reference = { $ref: '#/components/schemas/FilterCondition' }
const scalar = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] }

/**
 * The filters that a caller can pass to the query serializer of the package. The contract only describes the texts that
 * the serializer sends.
 */
const condition = {
  description:
    'A filter: a value that must be equal, a list of filters that must all match, or comparisons as in `{ age: { ">=": 18, "<": 65 } }`.',
  anyOf: [
    ...scalar.anyOf,
    { type: 'array', items: reference },
    {
      type: 'object',
      properties: Object.fromEntries(['=', '<', '>', '<=', '>=', '~'].map((operator) => [operator, scalar])),
      additionalProperties: false,
    },
  ],
}

const FILTERS = new Set(['_completed', '_invite_code', '_created_at', '_updated_at'])

/** Gives the filters of the document the type `FilterCondition`. */
function filtersTyped(document: Document): Document {
  for (const parameter of Object.values(document.components.parameters as unknown as Parameter[])) {
    if (FILTERS.has(parameter.name)) parameter.schema = reference
    if (parameter.name === 'answers') parameter.schema = { type: 'object', additionalProperties: reference }
  }
  document.components.schemas!.FilterCondition = condition
  return document
}
