import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../run.ts'
import { root } from '../versions.ts'
import { virtualEnvironment } from '../virtual-environment.ts'
import type { Prepared } from './document.ts'

const source = path.join(root, 'sdk/python')
const tools = path.join(root, 'build/venv/sdk')

/**
 * The settings of openapi-python-client. `_completed` becomes `meta_completed`, because a leading underscore means a private
 * name in Python. `Response` is renamed, because the generated code has a class of this name.
 */
const GENERATOR_SETTINGS = {
  field_prefix: 'meta_',
  class_overrides: { Response: { class_name: 'SurveyResponse', module_name: 'survey_response' } },
  literal_enums: true,
  docstrings_on_attributes: true,
  post_hooks: [],
}

/**
 * Builds the Python wheel and source archive `<folder>/canvass_client-<release>…` from the code that openapi-python-client
 * generates (changed by models.py and facade.py) and the handwritten code.
 * @returns the path of the wheel
 */
export async function buildPython(folder: string, prepared: readonly Prepared[], release: string): Promise<string> {
  const requirements = await readFile(path.join(source, 'requirements.txt'), 'utf8')
  const bin = await virtualEnvironment(tools, requirements.trim().split('\n'), 'make sdk', '3.11')
  const work = path.join(folder, '.work')
  const packageFolder = path.join(work, 'src/canvass_client')
  await rm(folder, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const part of ['src', 'examples', 'README.md'])
    await cp(path.join(source, part), path.join(work, part), { recursive: true })
  await cp(path.join(root, 'LICENSE'), path.join(work, 'LICENSE'))
  const project = await readFile(path.join(source, 'pyproject.toml'), 'utf8')
  await writeFile(path.join(work, 'pyproject.toml'), project.replace('version = "0.0.0"', `version = "${release}"`))
  for (const contract of prepared) await generate(contract, bin, work, packageFolder)
  await run(path.join(bin, 'ruff'), ['check', '--quiet', '--fix', 'src'], work)
  await run(path.join(bin, 'ruff'), ['format', '--quiet', 'src'], work)
  await run(path.join(bin, 'python'), ['-m', 'build', '--no-isolation', '--outdir', folder, work], work)
  await rename(work, path.join(folder, 'package'))
  return path.join(folder, `canvass_client-${release}-py3-none-any.whl`)
}

async function generate(
  { version, document, lists }: Prepared,
  bin: string,
  work: string,
  packageFolder: string,
): Promise<void> {
  const [input, config] = [path.join(work, `${version}.json`), path.join(work, 'generator.json')]
  await writeFile(input, JSON.stringify(supported(document)))
  await writeFile(config, JSON.stringify(GENERATOR_SETTINGS))
  const args = [
    'generate',
    '--path',
    input,
    '--config',
    config,
    '--meta',
    'none',
    '--output-path',
    path.join(packageFolder, version),
  ]
  const output = await run(path.join(bin, 'openapi-python-client'), args, work)
  // The generator skips what it does not support and only prints a warning.
  if (/warning|error/i.test(output)) throw new Error(`openapi-python-client on ${version}:\n${output}`)
  await run(
    path.join(bin, 'python'),
    [path.join(import.meta.dirname, 'facade.py'), path.join(packageFolder, version), input, JSON.stringify(lists)],
    work,
  )
  await run(
    path.join(bin, 'python'),
    [path.join(import.meta.dirname, 'models.py'), path.join(packageFolder, version)],
    work,
  )
  await rm(input)
  await rm(config)
}

/**
 * Returns the document in the form that openapi-python-client supports: without CSV bodies, for which there are handwritten
 * methods, and in alternatives with an `enum` of one value instead of `const`.
 */
function supported(document: Prepared['document']): Prepared['document'] {
  const paths = Object.entries(document.paths).map(([address, { post, ...rest }]) => {
    const onlyCsv = post?.requestBody && Object.keys(post.requestBody.content).join() === 'text/csv'
    return [address, post && !onlyCsv ? { post, ...rest } : rest]
  })
  const text = JSON.stringify({ ...document, paths: Object.fromEntries(paths) }, (key, value) => {
    if (key !== 'anyOf' || !Array.isArray(value)) return value
    return value.map((one) => ('const' in one ? { ...one, const: undefined, enum: [one.const] } : one))
  })
  return JSON.parse(text)
}
