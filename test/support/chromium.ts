import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

/** A program and its additional environment variables. */
export interface UnpackedProgram {
  executablePath: string
  env: Record<string, string>
}

/**
 * The configuration of fontconfig: the folder with the fonts of the package, and the fonts of the machine. Chromium
 * crashes if it finds no font.
 */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir></fontconfig>
`

/**
 * Unpacks the Chromium of the npm package once, into node_modules/.cache. The package alone would unpack Chromium
 * into the shared temporary folder, where a concurrent run could start a half-written program. The AWS setting makes
 * the package add its libraries (nss, nspr, expat) and a font, which a minimal machine lacks.
 * @throws Error on platforms other than Linux on x64
 */
export async function unpackChromium(): Promise<UnpackedProgram> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`npm has no Chromium for ${process.platform}-${process.arch}. Install one and set CHROMIUM.`)
  const root = path.resolve(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const folder = path.resolve(root, '../../.cache', `chromium-${version}`)
  if (!fs.existsSync(folder)) await unpackTo(folder)
  return {
    executablePath: path.join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: path.join(folder, 'fonts') },
  }
}

async function unpackTo(folder: string): Promise<void> {
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  const draft = fs.mkdtempSync(`${folder}.`)
  const program = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  fs.writeFileSync(path.join(draft, 'fonts', 'fonts.conf'), fonts)
  try {
    fs.renameSync(draft, folder)
  } catch {
    // Another process has already unpacked the same version.
    fs.rmSync(draft, { recursive: true, force: true })
  }
}
