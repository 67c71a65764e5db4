import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

/** A program and the environment it needs beside ours. */
export interface Unpacked {
  executablePath: string
  env: Record<string, string>
}

/** The package's own list of font folders names /tmp; a Chromium that finds no font crashes. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir></fontconfig>
`

/**
 * The package unpacks itself to fixed places in the shared temporary folder, where a second run meets a half
 * written program. So it is unpacked once, aside, into node_modules/.cache, in a process with its own TMPDIR.
 * Told to be on AWS it brings its libraries (nss, nspr, expat) and a font too: a bare machine has neither.
 * @throws on anything but Linux on x64
 */
export async function unpackChromium(): Promise<Unpacked> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `There is no Chromium for ${process.platform}-${process.arch} in npm: install one, and set CHROMIUM`,
    )
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
    // Another suite was quicker, and its copy is as good.
    fs.rmSync(draft, { recursive: true, force: true })
  }
}
