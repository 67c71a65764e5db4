import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../run.ts'
import { root } from '../versions.ts'
import { virtualEnvironment } from '../virtual-environment.ts'

/** The folder that contains the tools and the generated code. Both find their npm packages in this folder. */
export const work = path.join(root, 'build/contract')

/** The npm packages: the tools, and the packages that generated code imports. */
export const MODULES = {
  '@stoplight/spectral-cli': '6.16.3',
  axios: '1.21.1',
  orval: '8.38.0',
  zod: '4.6.7',
} as const

/**
 * The packages that the Python code of openapi-generator imports in addition to those in sdk/python/requirements.txt.
 */
const PYTHON_PACKAGES = ['lazy-imports==1.0.1', 'python-dateutil==2.9.0.post0', 'urllib3==2.5.0']

const once = <T>(install: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => (result ??= install())
}

const installModules = once(async () => {
  const manifest = JSON.stringify({ private: true, dependencies: MODULES }, null, 2)
  const file = path.join(work, 'package.json')
  await mkdir(work, { recursive: true })
  const installed = existsSync(file) && existsSync(path.join(work, 'node_modules'))
  if (installed && (await readFile(file, 'utf8')) === manifest) return
  await writeFile(path.join(work, 'package.json'), manifest)
  await run('npm', ['install', '--no-package-lock', '--loglevel=error', '--no-progress', '--ignore-scripts'], work)
})

/** Returns the program of an npm package. */
export async function npmTool(name: keyof typeof MODULES): Promise<string> {
  await installModules()
  const folder = path.join(work, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  return path.join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]!)
}

/** Returns a program of the virtual environment with the Python packages. */
export async function pythonTool(name: string): Promise<string> {
  const requirements = await readFile(path.join(root, 'sdk/python/requirements.txt'), 'utf8')
  const packages = [...requirements.trim().split('\n'), ...PYTHON_PACKAGES]
  return path.join(await virtualEnvironment(path.join(root, 'build/venv/contract'), packages, 'make contract'), name)
}

/**
 * Downloads a Java program.
 * @param artifact `group:name:version`
 * @returns the path of the JAR file
 */
export async function mavenJar(artifact: string): Promise<string> {
  const [, name, version] = artifact.split(':')
  const jar = path.join(work, 'java', `${name}-${version}.jar`)
  const args = [
    '-q',
    '-B',
    '-ntp',
    'dependency:copy',
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${path.dirname(jar)}`,
  ]
  await mkdir(work, { recursive: true })
  if (!existsSync(jar)) await run('mvn', args, work)
  return jar
}

/**
 * Installs a Go program.
 * @param source `module/cmd/name@version`
 * @returns the path of the program
 */
export async function goTool(source: string): Promise<string> {
  const [name, version] = path.basename(source).split('@')
  const folder = path.join(work, 'go', version!)
  await mkdir(folder, { recursive: true })
  if (!existsSync(path.join(folder, name!))) await run('go', ['install', source], folder, { GOBIN: folder })
  return path.join(folder, name!)
}
