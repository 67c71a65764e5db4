// Builds the client packages from generated/ in build/sdk/: an npm package and a Python wheel, each with all versions
// of the API. Run it as `make sdk`.
import path from 'node:path'
import { prepare } from './sdk/document.ts'
import { buildPython } from './sdk/python.ts'
import { buildTypescript } from './sdk/typescript.ts'
import { root, versions } from './versions.ts'

const folder = path.join(root, 'build', 'sdk')
const prepared = await Promise.all(versions.map(prepare))

async function timed(name: string, build: () => Promise<string>): Promise<void> {
  const started = performance.now()
  const file = await build()
  console.log(`sdk ${name}: ${path.relative(root, file)} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
}

await timed('typescript', () => buildTypescript(path.join(folder, 'typescript'), prepared))
await timed('python', () => buildPython(path.join(folder, 'python'), prepared))
