// Builds and runs the image without a container engine: executes each step of the Dockerfile in a chroot with a new
// Debian. The image runs without privileges, on a read-only root file system. Run it as `make image`, as root, on
// Debian with debootstrap.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { buildStages } from './image/build.ts'
import { parseDockerfile } from './image/dockerfile.ts'
import { proveImage } from './image/prove.ts'
import { root } from './versions.ts'

const work = path.join(root, 'build/image')
const start = performance.now()
const report = (text: string) =>
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${text}`)

if (process.getuid?.() !== 0 || process.platform !== 'linux') {
  console.error('make image needs root on Linux, because it uses chroot and mount.')
  process.exit(1)
}
rmSync(path.join(work, 'stages'), { recursive: true, force: true })
const image = buildStages(parseDockerfile(path.join(root, 'Dockerfile')), work, report)
await proveImage(image, report)
rmSync(path.join(work, 'stages'), { recursive: true })
