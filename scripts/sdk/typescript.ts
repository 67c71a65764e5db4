import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { run } from '../run.ts'
import { type List, type Prepared, root } from './document.ts'

const source = path.join(root, 'sdk/typescript')

/**
 * Writes the npm package `<folder>/canvass-client-<release>.tgz`: the generated operations and types of both
 * versions under the layer written by hand, compiled, with declarations.
 */
export async function buildTypescript(folder: string, prepared: readonly Prepared[], release: string): Promise<string> {
  const work = path.join(folder, '.work')
  await rm(folder, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const part of ['src', 'examples', 'tsconfig.json', 'README.md'])
    await cp(path.join(source, part), path.join(work, part), { recursive: true })
  await cp(path.join(root, 'LICENSE'), path.join(work, 'LICENSE'))
  await writeFile(path.join(work, 'src/version.ts'), `export const version = '${release}'\n`)
  for (const one of prepared) await generate(one, path.join(work, 'src', one.version))
  await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', work], root)
  const manifest = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')) as Record<string, unknown>
  await writeFile(path.join(work, 'package.json'), `${JSON.stringify({ ...manifest, version: release }, null, 2)}\n`)
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder], work)) as [
    { filename: string },
  ]
  await rename(work, path.join(folder, 'package'))
  return path.join(folder, packed.filename)
}

async function generate({ version, document, lists }: Prepared, folder: string): Promise<void> {
  const prefix = version.toUpperCase()
  await createClient({
    input: { ...renamed(document) },
    output: { path: folder, module: { extension: '.js' }, entryFile: false },
    logs: { level: 'silent', file: false },
    plugins: [
      '@hey-api/typescript',
      { name: '@hey-api/client-fetch', throwOnError: true },
      {
        name: '@hey-api/sdk',
        auth: false,
        responseStyle: 'data',
        operations: { strategy: 'single', containerName: `${prefix}Operations`, methods: 'instance' },
      },
    ],
  })
  await writeFile(path.join(folder, 'lists.gen.ts'), listsOf(prefix, lists))
}

/** A copy, since the generator writes into what it is given; and `Response` is a name that every program has already. */
function renamed(document: Prepared['document']): Prepared['document'] {
  const { Response, ...schemas } = document.components.schemas!
  const components = { ...document.components, schemas: { ...schemas, SurveyResponse: Response } }
  const text = JSON.stringify({ ...document, components })
  return JSON.parse(text.replaceAll('"#/components/schemas/Response"', '"#/components/schemas/SurveyResponse"'))
}

const typeName = (operationId: string) => operationId[0]!.toUpperCase() + operationId.slice(1)

/** A class with a method for each paged list, which goes over all its pages. */
function listsOf(prefix: string, lists: readonly List[]): string {
  const walk = prefix === 'V2' ? 'walkOffsets' : 'walkPages'
  const names = lists
    .map(({ operationId }) => typeName(operationId))
    .flatMap((name) => [`${name}Data`, `${name}Response`])
  const method = ({ operationId, summary, member, needsPath }: List) => {
    const name = typeName(operationId)
    const answer = prefix === 'V2' ? `.then(({ ${member}: items, total }) => ({ items, total }))` : ''
    return `
  /** ${summary}, all of them, page after page. */
  ${operationId}(options: Options<${name}Data, true>${needsPath ? '' : ' = {}'}): AsyncGenerator<${name}Response['${member}'][number]> {
    return ${walk}((asked: Options<${name}Data, true>) => this.#operations.${operationId}(asked)${answer}, options)
  }`
  }
  return `// Made by make sdk.
import { ${walk} } from '../pages.js'
import type { Options, ${prefix}Operations } from './sdk.gen.js'
import type { ${names.join(', ')} } from './types.gen.js'

/** The paged lists, item by item over all their pages. */
export class ${prefix}Lists {
  readonly #operations: ${prefix}Operations

  constructor(operations: ${prefix}Operations) {
    this.#operations = operations
  }
${lists.map(method).join('\n')}
}
`
}
