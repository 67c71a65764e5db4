import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { structureSchema } from '../../src/domain/structure/schema.ts'
import { XLSX_TYPE } from '../../src/lib/xlsx/media-type.ts'
import { run } from '../run.ts'
import { root } from '../versions.ts'
import { virtualEnvironment } from '../virtual-environment.ts'
import { errorCodesOf, type Prepared } from './document.ts'

const source = path.join(root, 'sdk/python')
const tools = path.join(root, 'build/venv/sdk')

/**
 * The settings of openapi-python-client. `_completed` becomes `meta_completed`, because a leading underscore means a
 * private name in Python.
 */
const GENERATOR_SETTINGS = {
  field_prefix: 'meta_',
  literal_enums: true,
  docstrings_on_attributes: true,
  post_hooks: [],
  // The generator does not know the media types of these files.
  content_type_overrides: Object.fromEntries(
    [XLSX_TYPE, 'application/x-ndjson', 'application/vnd.apache.parquet', 'application/zip'].map((type) => [
      type,
      'application/octet-stream',
    ]),
  ),
}

/**
 * Builds the Python wheel and source archive `<folder>/canvass_client-<version>…` from the code that
 * openapi-python-client generates (changed by models.py and facade.py) and the handwritten code.
 * @returns the path of the wheel
 */
export async function buildPython(folder: string, prepared: readonly Prepared[]): Promise<string> {
  const requirements = await readFile(path.join(source, 'requirements.txt'), 'utf8')
  const bin = await virtualEnvironment(tools, requirements.trim().split('\n'), 'make sdk', '3.11')
  const work = path.join(folder, '.work')
  const packageFolder = path.join(work, 'src/canvass_client')
  await rm(folder, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const part of ['src', 'examples', 'pyproject.toml', 'README.md', 'CHANGELOG.md'])
    await cp(path.join(source, part), path.join(work, part), { recursive: true })
  await cp(path.join(root, 'LICENSE'), path.join(work, 'LICENSE'))
  const codes = errorCodesOf(prepared).map((code) => `    "${code}",\n`)
  const errorCodes = `from typing import Literal, TypeAlias\n\nErrorCode: TypeAlias = Literal[\n${codes.join('')}]\n"""The stable codes of errors."""\n`
  await writeFile(path.join(packageFolder, '_error_codes.py'), errorCodes)
  for (const contract of prepared) await generate(contract, bin, work, packageFolder)
  await run(path.join(bin, 'ruff'), ['check', '--quiet', '--fix', 'src'], work)
  await run(path.join(bin, 'ruff'), ['format', '--quiet', 'src'], work)
  await run(path.join(bin, 'python'), ['-m', 'build', '--no-isolation', '--outdir', folder, work], work)
  await rename(work, path.join(folder, 'package'))
  const files = await readdir(folder)
  return path.join(folder, files.find((file) => file.endsWith('.whl'))!)
}

async function generate(
  { version, document, lists }: Prepared,
  bin: string,
  work: string,
  packageFolder: string,
): Promise<void> {
  const [input, whole, config] = ['input.json', 'whole.json', 'generator.json'].map((name) =>
    path.join(work, name),
  ) as [string, string, string]
  const bodies = typedBodies(document)
  await writeFile(input, JSON.stringify(withoutStructures(supported(document))))
  await writeFile(whole, JSON.stringify(document))
  await writeFile(config, JSON.stringify(GENERATOR_SETTINGS))
  const args = [
    'generate',
    // Otherwise the generator leaves out what it does not support.
    '--fail-on-warning',
    '--path',
    input,
    '--config',
    config,
    '--meta',
    'none',
    '--output-path',
    path.join(packageFolder, version),
  ]
  await run(path.join(bin, 'openapi-python-client'), args, work)
  const script = (name: string, ...scriptArgs: string[]) =>
    run(
      path.join(bin, 'python'),
      [path.join(import.meta.dirname, name), path.join(packageFolder, version), ...scriptArgs],
      work,
    )
  await script('dicts.py', whole, JSON.stringify([...new Set(Object.values(bodies))]))
  await script('facade.py', input, JSON.stringify(lists), JSON.stringify(bodies))
  await script('models.py', JSON.stringify(structureFields(document)))
  for (const file of [input, whole]) await rm(file)
  await rm(config)
}

const FILE_TYPES = new Set(['text/csv', XLSX_TYPE, 'application/octet-stream'])

/**
 * Returns the document in the form that openapi-python-client supports. POST operations whose request body can be a CSV
 * file, a workbook or another file are removed, because there are handwritten methods for them. In branches of `anyOf`,
 * an `enum` of one value replaces `const`.
 */
function supported(document: Prepared['document']): Prepared['document'] {
  const paths = Object.entries(document.paths).map(([address, { post, ...rest }]) => {
    const isFile = post?.requestBody && Object.keys(post.requestBody.content).some((type) => FILE_TYPES.has(type))
    return [address, post && !isFile ? { post, ...rest } : rest]
  })
  const text = JSON.stringify({ ...document, paths: Object.fromEntries(paths) }, (key, value) => {
    if (key !== 'anyOf' || !Array.isArray(value)) return value
    return value.map((one) => ('const' in one ? { ...one, const: undefined, enum: [one.const] } : one))
  })
  return JSON.parse(text)
}

/**
 * The schemas of structures for which models are generated, because texts and languages are also used outside
 * structures.
 */
const shared = new Set(['Text', 'LanguageText', 'StructureLanguages', 'StructureLanguage'])
/** The schemas of parts of a structure. In Python they are typed dictionaries, not models. */
const structureParts = new Set(Object.keys(structureSchema.$defs!).filter((name) => !shared.has(name)))

type Node = Record<string, unknown>

const refOf = (value: unknown): string => String((value as Node | undefined)?.$ref ?? '').replace(/.*\//, '')
const schemasOf = (document: Prepared['document']) => document.components.schemas as Record<string, Node>

/** Returns a document in which parts of a structure can be any value. */
function withoutStructures(document: Prepared['document']): Prepared['document'] {
  const kept = Object.entries(schemasOf(document)).filter(([name]) => !structureParts.has(name))
  const components = { ...document.components, schemas: Object.fromEntries(kept) }
  const isPart = (value: unknown) => structureParts.has(refOf(value))
  const text = JSON.stringify({ ...document, components }, (_, value) => (isPart(value) ? {} : value))
  return JSON.parse(text)
}

/**
 * Returns, for each schema with members that are lists of parts of a structure, these members with the name of the
 * schema of their items.
 */
function structureFields(document: Prepared['document']): Record<string, Record<string, string>> {
  const fields = Object.entries(schemasOf(document))
    .filter(([name]) => !structureParts.has(name))
    .map(([name, { properties = {} }]) => {
      const lists = Object.entries(properties as Record<string, Node>).map(([member, { items }]) => [
        member,
        refOf(items),
      ])
      return [name, Object.fromEntries(lists.filter(([, item]) => structureParts.has(item!)))] as const
    })
  return Object.fromEntries(fields.filter(([, lists]) => Object.keys(lists).length > 0))
}

/** Returns the name of the schema of each JSON request body, by operation. */
function typedBodies({ paths }: Prepared['document']): Record<string, string> {
  const bodies = Object.values(paths)
    .flatMap((item) => [item.post, item.put, item.delete])
    .map((operation) => [operation?.operationId, refOf(operation?.requestBody?.content['application/json']?.schema)])
  return Object.fromEntries(bodies.filter(([, name]) => name))
}
