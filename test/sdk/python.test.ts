import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import { useFlakyProxy } from '../support/flaky-proxy.ts'
import { useReceiver } from '../support/receiver.ts'
import { type Person, useWorld } from '../support/world.ts'
import {
  accountOf,
  built,
  environmentOf,
  flakyReplies,
  pythonWithPackage,
  readmeProgram,
  root,
  writeEvents,
} from './scenario.ts'

const world = useWorld()
const receiver = useReceiver()
const proxy = useFlakyProxy(() => world.base)
const source = path.join(root, 'sdk/python')
const readmes = ['README.md', 'sdk/python/README.md']
let folder: string
let python: string
let person: Person

const runProgram = (program: string, ...args: string[]) =>
  run(python, [program, ...args], folder, environmentOf(world, person, proxy, receiver))

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-sdk-'))
  python = await pythonWithPackage(folder)
  for (const part of ['test', 'examples']) await cp(path.join(source, part), folder, { recursive: true })
  person = await world.person()
}, 240_000)
afterAll(() => rm(folder, { recursive: true }))

describe('the Python package', () => {
  test('has types: mypy accepts valid structures, valid calls and the READMEs, and reports each deliberate mistake', async () => {
    const mypy = path.join(
      await virtualEnvironment(path.join(folder, 'mypy'), ['mypy==2.4.1'], 'make test-slow'),
      'mypy',
    )
    for (const [index, file] of readmes.entries())
      await writeFile(
        path.join(folder, `readme_${index}.py`),
        readmeProgram(file, 'python', world.base, accountOf(person)),
      )
    const args = ['--strict', '--python-executable', python, '--no-error-summary', '--hide-error-context']
    const files = ['structures.py', 'readme_0.py', 'readme_1.py']
    const { stdout } = spawnSync(mypy, [...args, ...files], { cwd: folder, encoding: 'utf8' })
    const lines = (await readFile(path.join(folder, 'structures.py'), 'utf8')).split('\n')
    const mistakes = lines.flatMap((line, index) =>
      / {2}# an? | {2}# in /.test(line) ? [`structures.py:${index + 1}`] : [],
    )
    expect(mistakes.length).toBeGreaterThanOrEqual(25)
    expect([...new Set(stdout.match(/^\w+\.py:\d+/gm))]).toEqual(mistakes)
  }, 240_000)

  test('supports version 3', async () => {
    proxy.replies = flakyReplies()
    const { survey, webhook } = JSON.parse(await runProgram('v3.py'))
    expect(proxy.requests).toBe(6)
    expect((await person.get(`/api/v3/surveys/${survey}/responses/`)).body.count).toBe(24)
    expect((await person.get(`/api/v3/webhooks/${webhook}/`)).body.subscription_url).toBe(receiver.url('/sdk'))
  })

  test('supports version 2', async () => {
    const { survey } = JSON.parse(await runProgram('v2.py'))
    expect((await person.get(`/api/v2/surveys/${survey}/`)).body).toMatchObject({ responses: 7, status: 'closed' })
  })

  test('has an async client', async () => {
    const { survey } = JSON.parse(await runProgram('awaited.py'))
    expect((await person.get(`/api/v3/surveys/${survey}/responses/`)).body.count).toBe(12)
  })

  test('retries calls whose connection breaks, and raises errors by status', async () => {
    expect(await runProgram('calls.py')).toBe('done\n')
  })

  test('unwraps the messages of every event in the contract', async () => {
    const names = await writeEvents(folder)
    expect((await runProgram('events.py')).trim().split('\n')).toEqual(names.flatMap((name) => [name, name]))
  })

  test('has examples that run', async () => {
    const output = await runProgram('collect.py')
    expect(output.match(/wants curry/g)).toHaveLength(2)
    expect(output).toContain("400 survey_error [FieldError(field='meal', code=")
    const { body: survey } = await person.post('/api/v3/surveys/', { json: { name: 'Followed' } })
    const { body: response } = await person.post(`/api/v3/surveys/${survey.id}/responses/`)
    expect(await runProgram('follow.py', String(survey.id))).toMatch(
      new RegExp(` created ${response.id}\nNext run: python follow\\.py ${survey.id} \\S+\n$`),
    )
  })

  test('has a version, a licence and types in its metadata', async () => {
    const program = `
from importlib.metadata import files, metadata
import json
package = metadata("canvass-client")
print(json.dumps([package["Version"], package["License-Expression"], any(file.name == "py.typed" for file in files("canvass-client"))]))`
    expect(JSON.parse(await run(python, ['-c', program], folder))).toEqual(['4.5.3', 'MIT', true])
    expect(path.basename(built('python/*.tar.gz'))).toBe('canvass_client-4.5.3.tar.gz')
  })

  test.each(readmes)('runs the program in %s', async (file) => {
    await writeFile(path.join(folder, 'readme.py'), readmeProgram(file, 'python', world.base, accountOf(person)))
    expect(await runProgram('readme.py')).toMatch(/^\d+/)
  })
})
