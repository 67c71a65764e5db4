// Takes the contracts as they are now for released: from then on they may only grow. Run it as `make release`.
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { currentPath, releasedPath, unacceptedBreaks } from './contract-gate.ts'

const changes = await readFile(path.resolve(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
for (const version of ['v2', 'v3']) {
  const { info } = JSON.parse(await readFile(currentPath(version), 'utf8')) as { info: { version: string } }
  if (!changes.includes(`API ${info.version}`)) {
    console.error(
      `CHANGELOG.md does not tell of "API ${info.version}". Write what is new, then run make release again.`,
    )
    process.exit(1)
  }
  const before = await readFile(releasedPath(version)).catch(() => undefined)
  const breaks = before ? await unacceptedBreaks(version) : []
  if (breaks.length > 0) {
    console.error(`${version} breaks ${breaks.length} things of the last release: make check names them.`)
    process.exit(1)
  }
  await mkdir(path.dirname(releasedPath(version)), { recursive: true })
  await copyFile(currentPath(version), releasedPath(version))
  console.log(`${version}: ${info.version} is released`)
}
