import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const root = path.resolve(import.meta.dirname, '../..')

/** Runs `user` on the world's database. @returns its exit code and all that it printed */
const told = (...words: string[]): Promise<[unknown, string]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, SECRET_KEY: world.secretKey, DATABASE_URL: world.databaseUrl }
    execFile(process.execPath, ['src/main.ts', 'user', ...words], { cwd: root, env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, stdout + stderr]),
    )
  })

test('user makes an account whose secrets work, and says in one line why it makes none', async () => {
  const [code, printed] = await told('ann', 'ann@example.org')
  expect(code).toBe(0)
  const [, password, apiKey] = /password {3}(\S+)\nAPI key {4}(\S+)\n$/.exec(printed)!
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:${password}`).toString('base64')}` }
  expect((await world.nobody.get('/api/v2/me', { headers })).body.user.username).toBe('ann')

  expect(await told('Ann', 'other@example.org')).toEqual([1, 'This user name is taken.\n'])
  expect(await told('bob', 'ANN@example.org')).toEqual([1, 'This e-mail address has an account already.\n'])
  expect(await told('bob', 'bob')).toEqual([1, 'email: must be an e-mail address\n'])
}, 60_000)
