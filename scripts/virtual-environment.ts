import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createOnce } from './create-once.ts'
import { run } from './run.ts'

/**
 * Creates a Python virtual environment with pinned packages, once for each list of packages.
 * @param folder the folder of the environment; its content is replaced
 * @param packages arguments of pip: `name==1.2.3`, or `-r` and a file
 * @param purpose the command that needs the environment, such as `make sdk`, for messages
 * @param python the minimum version of Python
 * @returns the folder of the programs of the environment
 * @throws Error if Python is missing or too old, or with the output of pip if a package is missing
 */
export async function virtualEnvironment(
  folder: string,
  packages: string[],
  purpose: string,
  python = '3.11',
): Promise<string> {
  const bin = path.join(folder, 'bin')
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex')
  const stamp = path.join(folder, `.stamp-${digest.slice(0, 12)}`)
  await createOnce(stamp, `${folder}.lock`, async () => {
    process.stderr.write(`${purpose}: installing Python packages\n`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await installPackages(folder, packages, purpose, python)
    writeFileSync(stamp, '')
  })
  return bin
}

async function installPackages(folder: string, packages: string[], purpose: string, python: string): Promise<void> {
  const versionCheck = `import sys; assert sys.version_info >= (${python.replace('.', ', ')}), sys.version`
  try {
    await run('python3', ['-c', versionCheck], folder)
    await run('python3', ['-m', 'venv', folder], folder)
  } catch (error) {
    throw new Error(
      `${purpose} needs Python ${python} or newer with its venv module (Debian: apt-get install python3 python3-venv). ${(error as Error).message}`,
    )
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  await run(path.join(folder, 'bin/python'), [...pip, ...packages], folder)
}
