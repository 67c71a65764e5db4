import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { type RestartingServer, startRestartingServer } from './restarting-server.ts'
import { expectStoredOnce } from './restarts.ts'
import { pythonWithPackage, readmeProgram, root } from './scenario.ts'

/** The test runs the program of the README again until the server has been killed this many times. */
const README_KILLS = 3
let server: RestartingServer
let folder: string
let python: string

const runProgram = (program: string) =>
  run(python, [program], folder, {
    CANVASS_URL: server.base,
    CANVASS_USERNAME: server.username,
    CANVASS_PASSWORD: server.password,
  })

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-sdk-'))
  python = await pythonWithPackage(folder)
  await cp(path.join(root, 'sdk/python/test/restarts.py'), path.join(folder, 'restarts.py'))
  server = await startRestartingServer()
}, 240_000)
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

describe('the Python package, while the server is killed and restarted', () => {
  test('completes every call, stores every response once, and reads every change', async () => {
    const program = runProgram('restarts.py')
    const kills = await server.killDuring(program)
    const { retries } = await expectStoredOnce(server, await program)
    console.info(`Python: ${kills} kills, ${retries} retries of new responses`)
    expect(kills).toBeGreaterThanOrEqual(2)
    expect(retries).toBeGreaterThan(0)
  }, 240_000)

  test('completes the program in its README', async () => {
    const text = readmeProgram('sdk/python/README.md', 'python', server.base, server)
    await writeFile(
      path.join(folder, 'readme.py'),
      text.replace(/(Canvass\(.*)\)$/m, '$1, max_retries=300, max_retry_delay=1)'),
    )
    const runs = async () => {
      do expect(await runProgram('readme.py')).toMatch(/^\d+ Curry\n/)
      while (server.kills < README_KILLS)
    }
    expect(await server.killDuring(runs())).toBeGreaterThanOrEqual(README_KILLS)
  }, 240_000)
})
