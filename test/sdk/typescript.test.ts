import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { useDoorman } from '../support/flaky-proxy.ts'
import { useReceiver } from '../support/receiver.ts'
import { type Person, useWorld } from '../support/world.ts'
import { built, busyDay, root, settingsOf, shown } from './scenario.ts'

const world = useWorld()
const receiver = useReceiver()
const doorman = useDoorman(() => world.base)
let folder: string
let person: Person

const told = (program: string, ...words: string[]) =>
  run(process.execPath, [program, ...words], folder, settingsOf(world, person, doorman, receiver))

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-sdk-'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  const words = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
  await run('npm', words, folder)
  for (const name of ['v2.ts', 'v3.ts']) await cp(path.join(root, 'sdk/typescript/test', name), path.join(folder, name))
  person = await world.person()
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

describe('the TypeScript package', () => {
  test('has types that hold in strict mode, with those of a browser and with those of Node', async () => {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']
    const nodeTypes = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node', 'v2.ts', 'v3.ts']
    for (const lib of ['es2023', 'es2023,dom'])
      expect(await run(process.execPath, [tsc, ...strict, '--lib', lib, ...nodeTypes], folder)).toBe('')
  }, 60_000)

  test('plays a story in version 3', async () => {
    doorman.words = busyDay()
    const { survey, webhook } = JSON.parse(await told('v3.ts'))
    expect(doorman.seen).toBe(6)
    expect((await person.get(`/api/v3/surveys/${survey}/responses/`)).body.count).toBe(24)
    expect((await person.get(`/api/v3/webhooks/${webhook}/`)).body.subscription_url).toBe(receiver.url('/sdk'))
  })

  test('plays a story in version 2', async () => {
    const { survey } = JSON.parse(await told('v2.ts'))
    expect((await person.get(`/api/v2/surveys/${survey}/`)).body).toMatchObject({ responses: 7, status: 'closed' })
  })

  test('brings examples that run', async () => {
    const examples = path.join(folder, 'node_modules/canvass-client/examples')
    const said = await told(path.join(examples, 'collect.mjs'))
    expect(said.match(/wants curry/g)).toHaveLength(2)
    expect(said).toMatch(/400 survey_error \[\s*\{\s*place: 'meal'/)
    const { body: survey } = await person.post('/api/v3/surveys/', { json: { name: 'Followed' } })
    const { body: response } = await person.post(`/api/v3/surveys/${survey.id}/responses/`)
    expect(await told(path.join(examples, 'follow.mjs'), String(survey.id))).toMatch(
      new RegExp(` created ${response.id}\\nnext time: node follow\\.mjs ${survey.id} \\S+\\n$`),
    )
  })

  test.each(['README.md', 'sdk/typescript/README.md'])('does what %s shows', async (file) => {
    await writeFile(path.join(folder, 'shown.ts'), shown(file, 'ts', world, person))
    expect(await told('shown.ts')).toMatch(/^\d+/)
  })
})
