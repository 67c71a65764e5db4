import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { useFlakyProxy } from '../support/flaky-proxy.ts'
import { useReceiver } from '../support/receiver.ts'
import { type Person, useWorld } from '../support/world.ts'
import { accountOf, built, environmentOf, flakyReplies, readmeProgram, root, writeEvents } from './scenario.ts'

const world = useWorld()
const receiver = useReceiver()
const proxy = useFlakyProxy(() => world.base)
const programs = ['v2.ts', 'v3.ts', 'calls.ts', 'events.ts', 'mistakes.ts', 'restarts.ts', 'structures.ts']
const readmes = ['README.md', 'sdk/typescript/README.md']
let folder: string
let person: Person

const runProgram = (program: string, ...args: string[]) =>
  run(process.execPath, [program, ...args], folder, environmentOf(world, person, proxy, receiver))

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-sdk-'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  const args = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
  await run('npm', args, folder)
  for (const name of programs) await cp(path.join(root, 'sdk/typescript/test', name), path.join(folder, name))
  person = await world.person()
  for (const [index, file] of readmes.entries())
    await writeFile(path.join(folder, `readme-${index}.ts`), readmeProgram(file, 'ts', world.base, accountOf(person)))
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

describe('the TypeScript package', () => {
  test('compiles in strict mode with the types of browsers and of Node.js, and rejects mistakes in structures and calls', async () => {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']
    const files = [...programs, ...readmes.map((_, index) => `readme-${index}.ts`)]
    const nodeTypes = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node', ...files]
    for (const lib of ['es2023', 'es2023,dom'])
      expect(await run(process.execPath, [tsc, ...strict, '--lib', lib, ...nodeTypes], folder)).toBe('')
  }, 240_000)

  test('supports version 3', async () => {
    proxy.replies = flakyReplies()
    const { survey, webhook } = JSON.parse(await runProgram('v3.ts'))
    expect(proxy.requests).toBe(6)
    expect((await person.get(`/api/v3/surveys/${survey}/responses/`)).body.count).toBe(24)
    expect((await person.get(`/api/v3/webhooks/${webhook}/`)).body.subscription_url).toBe(receiver.url('/sdk'))
  })

  test('supports version 2', async () => {
    const { survey } = JSON.parse(await runProgram('v2.ts'))
    expect((await person.get(`/api/v2/surveys/${survey}/`)).body).toMatchObject({ responses: 7, status: 'closed' })
  })

  test('retries calls whose connection breaks, and throws errors by status', async () => {
    expect(await runProgram('calls.ts')).toBe('done\n')
  })

  test('unwraps the messages of every event in the contract', async () => {
    const names = await writeEvents(folder)
    expect((await runProgram('events.ts')).trim().split('\n')).toEqual(names.flatMap((name) => [name, name]))
  })

  test('has examples that run', async () => {
    const examples = path.join(folder, 'node_modules/canvass-client/examples')
    const output = await runProgram(path.join(examples, 'collect.mjs'))
    expect(output.match(/wants curry/g)).toHaveLength(2)
    expect(output).toMatch(/400 survey_error \[\s*\{\s*field: 'meal'/)
    const { body: survey } = await person.post('/api/v3/surveys/', { json: { name: 'Followed' } })
    const { body: response } = await person.post(`/api/v3/surveys/${survey.id}/responses/`)
    expect(await runProgram(path.join(examples, 'follow.mjs'), String(survey.id))).toMatch(
      new RegExp(` created ${response.id}\\nNext run: node follow\\.mjs ${survey.id} \\S+\\n$`),
    )
  })

  test.each(readmes)('runs the program in %s', async (file) => {
    expect(await runProgram(`readme-${readmes.indexOf(file)}.ts`)).toMatch(/^\d+/)
  })
})
