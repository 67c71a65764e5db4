import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { METHODS, type Operation } from '../../scripts/samples/operation.ts'
import { withSamples } from '../../scripts/samples.ts'
import { type DatabaseSnapshot, snapshotDatabase } from '../support/db-snapshot.ts'
import { type Person, useWorld } from '../support/world.ts'
import { householdForm, setup, surveyOfAnotherTool } from './example-requests.ts'
import { makeExampleWorld } from './example-world.ts'
import { runShell, type SampleResult, type SampleRunner, startRunner } from './sample-runner.ts'
import { built, pythonWithPackage, root } from './scenario.ts'

const EXTENSIONS = { curl: 'sh', TypeScript: 'ts', Python: 'py' } as const
const languages = Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[]

/**
 * Runs every sample in the reference of an API version against a server with the objects of the examples
 * (`example-world.ts`). The database is restored between samples. A sample must succeed and print something.
 */
export async function describeSamples(version: string): Promise<void> {
  const contract = await withSamples(version)
  const operations = Object.values(contract.paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method]?.['x-codeSamples'] ? [{ method, ...item[method] }] : [])),
  )
  const world = useWorld()
  // A separate describe, so that its afterAll runs before that of the world.
  describe(`the samples of ${version}`, () => {
    const runners = new Map<string, SampleRunner>()
    let folder: string
    let owner: Person
    let snapshot: DatabaseSnapshot
    let env: NodeJS.ProcessEnv

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'canvass-samples-'))
      await cp(path.join(import.meta.dirname, 'sample-runner'), folder, { recursive: true })
      await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
      await writeFile(path.join(folder, 'household.xlsx'), householdForm)
      await writeFile(path.join(folder, 'survey.json'), surveyOfAnotherTool)
      await cp(path.join(root, 'test/support/logo.png'), path.join(folder, 'kitchen.png'))
      const args = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
      const [python] = await Promise.all([pythonWithPackage(folder), run('npm', args, folder)])
      owner = await makeExampleWorld(world)
      snapshot = await snapshotDatabase(world.databaseUrl)
      env = {
        CANVASS_URL: world.base,
        CANVASS_USERNAME: owner.actor.username,
        CANVASS_PASSWORD: owner.password,
        CANVASS_API_KEY: owner.apiKey,
      }
      runners.set('TypeScript', startRunner(process.execPath, 'run.mjs', folder, env))
      runners.set('Python', startRunner(python, 'run.py', folder, env))
      for (const operation of operations)
        for (const language of languages) await writeFile(fileOf(operation, language), sourceOf(operation, language))
    }, 240_000)
    afterAll(async () => {
      for (const runner of runners.values()) await runner.stop()
      await snapshot.close()
      await rm(folder, { recursive: true })
    })

    const fileOf = ({ operationId }: Operation, language: keyof typeof EXTENSIONS) =>
      path.join(folder, `${operationId}.${EXTENSIONS[language]}`)
    const sourceOf = (operation: Operation, language: string) =>
      operation['x-codeSamples']!.find(({ label }) => label === language)!.source
    const runSample = (operation: Operation, language: keyof typeof EXTENSIONS): Promise<SampleResult> =>
      language === 'curl'
        ? runShell(sourceOf(operation, language), folder, env)
        : runners.get(language)!.run(fileOf(operation, language))

    describe.each(languages)('in %s', (language) => {
      test.each(operations)('succeeds for $operationId', async (operation) => {
        await setup[operation.operationId]?.(owner, world)
        const { output, error } = await runSample(operation, language)
        if (operation.method !== 'get' || setup[operation.operationId]) await snapshot.restore()
        expect(error).toBeUndefined()
        expect(output.trim()).not.toBe('')
      })
    })

    test('in TypeScript compile', async () => {
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
      const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node']
      const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023']
      const files = operations.map((operation) => fileOf(operation, 'TypeScript'))
      expect(await run(process.execPath, [tsc, ...strict, ...types, ...files], folder)).toBe('')
    }, 60_000)
  })
}
