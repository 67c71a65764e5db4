// Runs the code generators and linters of other projects on each contract, and compiles the generated code. Arguments
// limit the run to some tools or to one version of OpenAPI: `make contract ARGS="orval spectral 3.0"`. If the runtime
// of a tool is missing, the run fails, unless --allow-missing is given.
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { root, versions } from '../../scripts/versions.ts'
import { downConvert } from '../../src/lib/down-convert.ts'
import { work } from './install.ts'
import { emptied, type OpenApi, type Tool, tools } from './tools.ts'

const RUNTIMES = {
  go: 'Go 1.24 or newer (Debian: apt-get install golang-go)',
  java: 'Java 17 or newer (Debian: apt-get install default-jdk-headless)',
  mvn: 'Maven (Debian: apt-get install maven)',
  python3: 'Python 3.11 or newer (Debian: apt-get install python3 python3-venv)',
}

interface Row {
  tool: Tool
  version: string
  openapi: OpenApi
  result: 'ok' | 'failed' | 'skipped'
  seconds: number
  message: string
}

/** The maximum number of lines of an error that are printed. */
const MAX_LINES = 15

const isMissing = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`])
    return false
  } catch {
    return true
  }
}

/** Returns the path of a contract. As OpenAPI 3.0 it is not in the repository, and is written to the work folder. */
async function documentOf(version: string, openapi: OpenApi): Promise<string> {
  const contract = path.join(root, 'generated', version, 'openapi.json')
  if (openapi === '3.1') return contract
  const converted = path.join(work, `${version}-openapi-3.0.json`)
  await mkdir(work, { recursive: true })
  await writeFile(converted, JSON.stringify(downConvert(JSON.parse(await readFile(contract, 'utf8'))), null, 2))
  return converted
}

async function build(tool: Tool, version: string, openapi: OpenApi): Promise<Row> {
  const row = { tool, version, openapi }
  const missing = tool.needs.filter(isMissing)
  if (missing.length) {
    const message = `needs ${missing.map((program) => RUNTIMES[program]).join(', ')}`
    return { ...row, result: 'skipped', seconds: 0, message }
  }
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  try {
    await tool.build(
      await documentOf(version, openapi),
      await emptied(path.join(work, tool.name, `${version}-${openapi}`)),
    )
    return { ...row, result: 'ok', seconds: seconds(), message: '' }
  } catch (error) {
    return { ...row, result: 'failed', seconds: seconds(), message: (error as Error).message }
  }
}

const print = (cells: readonly string[]) =>
  console.log(cells.map((cell, column) => cell.padEnd([36, 10, 10, 9, 9][column] ?? 0)).join(''))

const args = process.argv.slice(2)
const only = args.filter((arg): arg is OpenApi => arg === '3.0' || arg === '3.1')
const names = args.filter((arg) => arg !== '--allow-missing' && !only.some((each) => each === arg))
const unknown = names.filter((name) => !tools.some((tool) => tool.name === name))
if (unknown.length) {
  console.error(`Unknown tool: ${unknown.join(', ')}. Tools: ${tools.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
print(['tool', 'version', 'contract', 'OpenAPI', 'result', 'seconds'])
const rows: Row[] = []
for (const tool of tools.filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const version of versions) {
    for (const openapi of tool.reads.filter((each) => only.length === 0 || only.includes(each))) {
      const row = await build(tool, version, openapi)
      rows.push(row)
      print([tool.name, tool.version, version, openapi, row.result, row.seconds.toFixed(1)])
    }
  }
}
const problems = rows.filter(({ result }) => result !== 'ok')
for (const { tool, version, openapi, result, message } of problems) {
  const lines = message.split('\n')
  const rest = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : []
  console.error(
    `\n${tool.name} on ${version} (${openapi}) ${result}: ${[...lines.slice(0, MAX_LINES), ...rest].join('\n  ')}`,
  )
}
const isAllowed = ({ result }: Row) => result === 'skipped' && args.includes('--allow-missing')
if (!problems.every(isAllowed)) process.exitCode = 1
