import { spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../../scripts/run.ts'
import { root } from '../../scripts/versions.ts'
import { freePort } from '../../test/support/process.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import { goTool, MODULES, mavenJar, npmTool, pythonTool } from './install.ts'

/** A version of OpenAPI: 3.1 as written, or 3.0 as converted by down-convert.ts. */
export type OpenApi = '3.0' | '3.1'

/** A tool that reads a contract, and a function that compiles the code that the tool generates. */
export interface Tool {
  name: string
  version: string
  /** The versions of OpenAPI that the tool reads. */
  reads: readonly OpenApi[]
  /** The programs that must be on the machine. */
  needs: readonly ('go' | 'java' | 'mvn' | 'python3')[]
  /**
   * Generates code in an empty folder and compiles it.
   * @throws Error with the output of the tool or compiler that fails
   */
  build(document: string, folder: string): Promise<void>
}

const { prism, oasdiff, openapiGenerator, oapiCodegen, openapiPythonClient, orval, openapiTypescript, spectral } = {
  oasdiff: '1.37.0',
  openapiGenerator: '7.23.0',
  oapiCodegen: '2.8.2',
  openapiPythonClient: '0.29.1',
  orval: MODULES.orval,
  openapiTypescript: '7.13.0',
  prism: MODULES['@stoplight/prism-cli'],
  spectral: MODULES['@stoplight/spectral-cli'],
}

const MOCK_START_LIMIT_MS = 60_000
/** A contract has at least this number of GET operations without required parameters other than those of the path. */
const MIN_MOCKED = 20

/** All tools. Tools that take little time come first. */
export const tools: readonly Tool[] = [
  { name: 'spectral', version: spectral, reads: ['3.1', '3.0'], needs: [], build: lint },
  { name: 'openapi-typescript', version: openapiTypescript, reads: ['3.1', '3.0'], needs: [], build: openapiTypes },
  { name: 'prism', version: prism, reads: ['3.1', '3.0'], needs: [], build: mock },
  {
    name: 'oasdiff',
    version: oasdiff,
    reads: ['3.1', '3.0'],
    needs: ['go'],
    // Also compiles all patterns with the regular expressions of Go.
    async build(document, folder) {
      await run(await goTool(`github.com/oasdiff/oasdiff@v${oasdiff}`), ['validate', document], folder)
    },
  },
  {
    name: 'orval',
    version: orval,
    reads: ['3.0'],
    needs: [],
    async build(document, folder) {
      const project = (client: string) => ({
        input: document,
        output: { target: path.join(folder, `${client}.ts`), client, mode: 'single' },
      })
      const config = JSON.stringify({ fetch: project('fetch'), zod: project('zod') })
      await writeFile(path.join(folder, 'orval.config.mjs'), `export default ${config}\n`)
      await run(process.execPath, [await npmTool('orval'), '--config', 'orval.config.mjs'], folder)
      await compileTypescript(folder)
    },
  },
  {
    name: 'openapi-python-client',
    version: openapiPythonClient,
    reads: ['3.0'],
    needs: ['python3'],
    async build(document, folder) {
      const args = ['generate', '--path', document, '--meta', 'none', '--output-path', path.join(folder, 'canvass')]
      await run(await pythonTool('openapi-python-client'), args, folder)
      await importPython(folder)
    },
  },
  generator('python', ['python3'], importPython),
  generator('typescript-axios', [], compileTypescript),
  generator('go', ['go'], compileGo),
  {
    name: 'oapi-codegen',
    version: oapiCodegen,
    reads: ['3.0'],
    needs: ['go'],
    async build(document, folder) {
      const args = ['-generate', 'types,client', '-package', 'canvass', '-o', 'canvass.go', document]
      await run(await goTool(`github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${oapiCodegen}`), args, folder)
      await writeFile(
        path.join(folder, 'go.mod'),
        'module canvass\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime v1.5.0\n',
      )
      await compileGo(folder)
    },
  },
  generator('java', ['mvn'], async (folder) => {
    await run('mvn', ['-q', '-B', '-ntp', 'compile'], folder)
  }),
]

/** Returns openapi-generator with one of its targets. */
function generator(target: string, needs: Tool['needs'], compile: (folder: string) => Promise<void>): Tool {
  return {
    name: `openapi-generator-${target}`,
    version: openapiGenerator,
    reads: ['3.0'],
    needs: ['java', 'mvn', ...needs],
    async build(document, folder) {
      const jar = await mavenJar(`org.openapitools:openapi-generator-cli:${openapiGenerator}`)
      const options = ['-i', document, '-g', target, '-o', folder]
      await run('java', ['-jar', jar, 'generate', ...options, '--additional-properties=packageName=canvass'], folder)
      await compile(folder)
    },
  }
}

async function lint(document: string, folder: string): Promise<void> {
  const ruleset = path.join(root, 'tools/contract/spectral.yaml')
  const args = ['lint', document, '--ruleset', ruleset, '--fail-severity', 'warn', '--format', 'text']
  await run(process.execPath, [await npmTool('@stoplight/spectral-cli'), ...args], folder)
}

interface Operation {
  parameters?: { $ref?: string; name: string; in: string; required?: boolean; example?: unknown }[]
  responses: Record<string, { $ref?: string }>
}

/**
 * Starts a mock server and sends each GET request without credentials. The reply must be 401 with one of the examples of
 * this status.
 */
async function mock(document: string): Promise<void> {
  const contract = JSON.parse(await readFile(document, 'utf8'))
  const port = await freePort()
  const server = spawn(
    process.execPath,
    [await npmTool('@stoplight/prism-cli'), 'mock', document, '-p', String(port)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const errors: string[] = []
  let count = 0
  try {
    const base = `http://127.0.0.1:${port}`
    await waitUntil(() => fetch(base).then(Boolean, () => false), MOCK_START_LIMIT_MS)
    const resolve = <Value extends { $ref?: string }>(value: Value): Value =>
      value.$ref
        ? value.$ref
            .slice(2)
            .split('/')
            .reduce((node, name) => node[name], contract)
        : value
    for (const [name, item] of Object.entries<{ get?: Operation; parameters?: Operation['parameters'] }>(
      contract.paths,
    )) {
      const { get } = item
      const parameters = [...(item.parameters ?? []), ...(get?.parameters ?? [])].map(resolve)
      if (!get?.responses['401'] || parameters.some((each) => each.in !== 'path' && each.required)) continue
      const address = name.replace(/\{(\w+)\}/g, (_, parameter) =>
        encodeURIComponent(String(parameters.find((each) => each.name === parameter)!.example)),
      )
      count += 1
      const reply = await fetch(base + address)
      const text = await reply.text()
      const examples = JSON.stringify(resolve(get.responses['401']))
      const code = /"code":\s*"(\w+)"/.exec(text)?.[1]
      if (reply.status !== 401 || !code || !examples.includes(`"${code}"`))
        errors.push(`GET ${address} is ${reply.status} ${text.slice(0, 200)}`)
    }
  } finally {
    server.kill()
  }
  if (errors.length || count < MIN_MOCKED) throw new Error(`${count} requests\n${errors.join('\n')}`)
}

async function openapiTypes(document: string, folder: string): Promise<void> {
  const program = path.join(root, 'node_modules/openapi-typescript/bin/cli.js')
  await run(process.execPath, [program, document, '-o', path.join(folder, 'types.ts')], folder)
  await compileTypescript(folder)
}

/** Compiles all TypeScript of a folder with strict checks. */
async function compileTypescript(folder: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
  }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder)
}

const IMPORT_ALL = `
import canvass, compileall, importlib, pkgutil, sys
if not compileall.compile_dir('canvass', quiet=1): sys.exit('canvass does not compile')
for module in pkgutil.walk_packages(canvass.__path__, 'canvass.'): importlib.import_module(module.name)
`

/** Compiles and imports every module of the package `canvass` in a folder. */
async function importPython(folder: string): Promise<void> {
  await run(await pythonTool('python'), ['-c', IMPORT_ALL], folder)
}

/** Compiles all packages of the Go module in a folder. */
async function compileGo(folder: string): Promise<void> {
  await rm(path.join(folder, 'test'), { recursive: true, force: true })
  await run('go', ['mod', 'tidy'], folder)
  await run('go', ['build', './...'], folder)
}

/** Empties a folder. */
export async function emptied(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}
