import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { type Described, methods } from '../../scripts/samples/operation.ts'
import { withSamples } from '../../scripts/samples.ts'
import { type Kept, keep } from '../support/db-snapshot.ts'
import { type Person, useWorld, type World } from '../support/world.ts'
import { makeExampleWorld } from './example-world.ts'
import { type Played, type Player, playShell, startPlayer } from './sample-runner.ts'
import { built, pythonWithPackage, root } from './scenario.ts'

const endings = { curl: 'sh', TypeScript: 'ts', Python: 'py' } as const
const languages = Object.keys(endings) as (keyof typeof endings)[]

/** What has to happen before the sample of an operation, by its id: two examples of the contract exclude each other. */
export type Before = Record<string, (owner: Person, world: World) => Promise<unknown>>

/**
 * Runs every sample of the documentation of a version, as it stands there, in the world of which the examples speak;
 * each finds this world as it was in the beginning, has to succeed, and to print something.
 */
export async function describeSamples(version: string, before: Before): Promise<void> {
  const contract = await withSamples(version)
  const operations = Object.values(contract.paths).flatMap((item) =>
    methods.flatMap((method) => (item[method]?.['x-codeSamples'] ? [{ method, ...item[method] }] : [])),
  )
  const world = useWorld()
  // Within its own frame, so that it is cleared up before the world ends.
  describe(`the samples of ${version}`, () => {
    const players = new Map<string, Player>()
    let folder: string
    let owner: Person
    let kept: Kept
    let env: NodeJS.ProcessEnv

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'canvass-samples-'))
      await cp(path.join(import.meta.dirname, 'sample-runner'), folder, { recursive: true })
      await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
      const words = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
      const [python] = await Promise.all([pythonWithPackage(folder), run('npm', words, folder)])
      owner = await makeExampleWorld(world)
      kept = await keep(world.databaseUrl)
      env = {
        CANVASS_URL: world.base,
        CANVASS_USERNAME: owner.actor.username,
        CANVASS_PASSWORD: owner.password,
        CANVASS_API_KEY: owner.apiKey,
      }
      players.set('TypeScript', startPlayer(process.execPath, 'run.mjs', folder, env))
      players.set('Python', startPlayer(python, 'run.py', folder, env))
      for (const operation of operations)
        for (const language of languages) await writeFile(fileOf(operation, language), sourceOf(operation, language))
    }, 240_000)
    afterAll(async () => {
      for (const player of players.values()) await player.stop()
      await kept.close()
      await rm(folder, { recursive: true })
    })

    const fileOf = ({ operationId }: Described, language: keyof typeof endings) =>
      path.join(folder, `${operationId}.${endings[language]}`)
    const sourceOf = (operation: Described, language: string) =>
      operation['x-codeSamples']!.find(({ label }) => label === language)!.source
    const play = (operation: Described, language: keyof typeof endings): Promise<Played> =>
      language === 'curl'
        ? playShell(sourceOf(operation, language), folder, env)
        : players.get(language)!.play(fileOf(operation, language))

    describe.each(languages)('in %s', (language) => {
      test.each(operations)('$operationId', async (operation) => {
        await before[operation.operationId]?.(owner, world)
        const { printed, error } = await play(operation, language)
        if (operation.method !== 'get' || before[operation.operationId]) await kept.rewind()
        expect(error).toBeUndefined()
        expect(printed.trim()).not.toBe('')
      })
    })

    test('in TypeScript have the right types', async () => {
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
      const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node']
      const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023']
      const files = operations.map((operation) => fileOf(operation, 'TypeScript'))
      expect(await run(process.execPath, [tsc, ...strict, ...types, ...files], folder)).toBe('')
    }, 60_000)
  })
}
