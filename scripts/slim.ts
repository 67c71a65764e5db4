// Makes an installation small: removes from node_modules what only builds and tests need, and prints its size.
// Run: make slim, or node scripts/slim.ts [folder]. IMAGE names a container image whose size is printed too.
import { execFileSync } from 'node:child_process'
import { globSync, lstatSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Files that no program reads at run time: type declarations, source maps, and the headers of Node.js. */
const UNUSED = ['**/*.map', '**/*.d.ts', '**/*.d.mts', '**/*.d.cts', 'node-linux-*/include']

/** The folders of an installation. */
const FOLDERS = ['node_modules', 'src', 'generated', 'build', 'docs']

const BLOCK_BYTES = 512

interface Size {
  files: number
  /** Space on the disk. */
  bytes: number
}

function sizeOf(folder: string): Size {
  const size = { files: 0, bytes: 0 }
  for (const entry of globSync('**/*', { cwd: folder, withFileTypes: true })) {
    size.files += entry.isFile() ? 1 : 0
    size.bytes += lstatSync(join(entry.parentPath, entry.name)).blocks * BLOCK_BYTES
  }
  return size
}

/** Returns the size of an image in bytes; undefined without a container engine that has this image. */
function imageSize(image: string): number | undefined {
  for (const engine of ['docker', 'podman']) {
    try {
      const size = execFileSync(engine, ['image', 'inspect', image, '--format', '{{.Size}}'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return Number(size)
    } catch {
      // Without this engine, or without the image.
    }
  }
  return undefined
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

const root = resolve(process.argv[2] ?? '.')
const packages = join(root, 'node_modules')
for (const path of UNUSED.flatMap((pattern) => globSync(pattern, { cwd: packages })))
  rmSync(join(packages, path), { recursive: true, force: true })

const sizes = FOLDERS.map((name) => ({ name, ...sizeOf(join(root, name)) }))
for (const { name, files, bytes } of sizes)
  console.log(`${name.padEnd(14)}${megabytes(bytes).padStart(8)} in ${files.toLocaleString('en')} files`)
console.log(`${'together'.padEnd(14)}${megabytes(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).padStart(8)}`)
const image = process.env.IMAGE ?? 'canvass'
const bytes = imageSize(image)
console.log(bytes === undefined ? `no image ${image} in docker or podman` : `image ${image}: ${megabytes(bytes)}`)
