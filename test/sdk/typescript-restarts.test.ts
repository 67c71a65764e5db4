import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../../scripts/run.ts'
import { type RestartingServer, startRestartingServer } from './restarting-server.ts'
import { expectStoredOnce } from './restarts.ts'
import { built, readmeProgram, root } from './scenario.ts'

/** The test runs the program of the README again until the server has been killed this many times. */
const README_KILLS = 3
let server: RestartingServer
let folder: string

const runProgram = (program: string) =>
  run(process.execPath, [program], folder, {
    CANVASS_URL: server.base,
    CANVASS_USERNAME: server.username,
    CANVASS_PASSWORD: server.password,
  })

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'canvass-sdk-'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  const args = ['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', built('typescript/*.tgz')]
  await run('npm', args, folder)
  await cp(path.join(root, 'sdk/typescript/test/restarts.ts'), path.join(folder, 'restarts.ts'))
  server = await startRestartingServer()
}, 120_000)
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

describe('the TypeScript package, while the server is killed and restarted', () => {
  test('completes every call, stores every response once, and reads every change', async () => {
    const program = runProgram('restarts.ts')
    const kills = await server.killDuring(program)
    const { retries } = await expectStoredOnce(server, await program)
    console.info(`TypeScript: ${kills} kills, ${retries} retries of new responses`)
    expect(kills).toBeGreaterThanOrEqual(2)
    expect(retries).toBeGreaterThan(0)
  }, 240_000)

  test('completes the program in its README', async () => {
    const text = readmeProgram('sdk/typescript/README.md', 'ts', server.base, server)
    await writeFile(
      path.join(folder, 'readme.ts'),
      text.replace('new Canvass({', '$& maxRetries: 300, maxRetryDelay: 1,'),
    )
    const runs = async () => {
      do expect(await runProgram('readme.ts')).toMatch(/^\d+ Curry\n/)
      while (server.kills < README_KILLS)
    }
    expect(await server.killDuring(runs())).toBeGreaterThanOrEqual(README_KILLS)
  }, 240_000)
})
