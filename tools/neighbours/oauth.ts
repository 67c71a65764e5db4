// Runs applications of other languages against the OAuth provider of a server: sign in with PKCE, call the API, refresh twice
// with one token, revoke. Once as a confidential and once as a public client.
// Run: node tools/run.ts tools/neighbours/oauth.ts
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import { signInAs } from '../../test/support/http-browser.ts'
import { authorizeApp, type RegisteredApp, registerApp } from '../../test/support/oauth.ts'
import { startServer } from '../../test/support/running-server.ts'
import { temporaryFolder } from '../../test/support/temp-postgres.ts'
import type { Person, World } from '../../test/support/world.ts'

const PYTHON_PACKAGES = ['Authlib==1.9.10', 'requests==2.32.5']
const CALLBACK = 'http://127.0.0.1/callback'
const folder = path.join(import.meta.dirname, 'oauth')

/** Returns the command of each application. */
async function applications(): Promise<Record<string, readonly string[]>> {
  const bin = await virtualEnvironment(path.resolve('build/venv/oauth'), PYTHON_PACKAGES, 'make test-slow')
  const python = [path.join(bin, 'python'), path.join(folder, 'authlib_client.py')]
  if (spawnSync('go', ['version']).error) {
    console.log('neighbours: golang.org/x/oauth2 is not tried, because Go is not installed')
    return { Authlib: python }
  }
  const program = path.join(temporaryFolder(), 'application')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: folder, stdio: 'pipe' })
  return { Authlib: python, 'golang.org/x/oauth2': [program] }
}

/** Runs an application, and signs in for it in a browser. */
async function tryApplication(
  [command = '', ...args]: readonly string[],
  app: RegisteredApp,
  base: string,
  owner: Person,
) {
  // A port of its own, as a native application has.
  const callback = 'http://127.0.0.1:51004/callback'
  const env = {
    PATH: process.env.PATH,
    BASE: base,
    CLIENT_ID: app.clientId,
    CALLBACK: callback,
    ...(app.secret && { CLIENT_SECRET: app.secret }),
  }
  const child = spawn(command, args, {
    env: { ...env, AUTHLIB_INSECURE_TRANSPORT: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value as string | undefined
  const address = await next()
  if (!address) throw new Error('The application ended early')
  const query = Object.fromEntries(new URL(address).searchParams)
  child.stdin.end(`${await authorizeApp(await signInAs(owner), query)}\n`)
  if ((await next()) !== 'done') throw new Error('The application failed')
}

const programs = await applications()
const password = 'the password of the owner'
const server = await startServer({ ADMIN_PASSWORD: password })
try {
  const owner = { base: server.base, actor: { username: 'ann' }, password } as unknown as Person
  for (const kind of ['confidential', 'public']) {
    const app = await registerApp({} as World, { owner, callback: CALLBACK, kind })
    for (const [name, command] of Object.entries(programs)) {
      await tryApplication(command, app, server.base, owner)
      console.log(`neighbours: ${name} works as a ${kind} client`)
    }
  }
} finally {
  await server.stop()
}
