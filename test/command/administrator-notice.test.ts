import { expect, test } from '@jest/globals'
import { freePort, startProgram } from '../support/process.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Starts a server on the database of the world. @returns its output */
async function serve(): Promise<string> {
  const server = startProgram(
    {
      PORT: String(await freePort()),
      DATABASE_URL: world.databaseUrl,
      SECRET_KEY: world.secretKey,
      DATA_DIR: world.dataDir,
      LOG_LEVEL: 'silent',
      STOP_DELAY_SECONDS: '0',
    },
    'src/main.mjs',
    'serve',
  )
  await server.waitForOutput('Canvass is running')
  await server.kill('SIGTERM')
  return server.output()
}

test('the start says how to make an administrator if there is none, as after an update', async () => {
  await world.person()
  expect(await serve()).toContain('No account is an administrator. To make one: canvass users grant <name>')
  await world.person({ isAdministrator: true })
  expect(await serve()).not.toContain('No account is an administrator')
}, 60_000)
