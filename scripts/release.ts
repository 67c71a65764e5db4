// Stores the current contracts as the released contracts, each on one line. Later contracts may only extend them. With
// `--check` only says whether they can be released. Run it as `make release`.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { currentPath, releasedPath, unacceptedBreaks } from './contract-gate.ts'
import { versions } from './versions.ts'

const changes = await readFile(path.resolve(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
for (const version of versions) {
  const contract = JSON.parse(await readFile(currentPath(version), 'utf8')) as { info: { version: string } }
  const name = `API ${contract.info.version}`
  if (!changes.includes(name)) {
    console.error(`CHANGELOG.md has no entry "${name}". Add it and run make release again.`)
    process.exit(1)
  }
  const before = await readFile(releasedPath(version)).catch(() => undefined)
  const breaks = before ? await unacceptedBreaks(version) : []
  if (breaks.length > 0) {
    console.error(`${version} has ${breaks.length} breaks since the last release. Run make check to list them.`)
    process.exit(1)
  }
  if (process.argv.includes('--check')) continue
  await mkdir(path.dirname(releasedPath(version)), { recursive: true })
  await writeFile(releasedPath(version), `${JSON.stringify(contract)}\n`)
  console.log(`${version}: released ${name}`)
}
