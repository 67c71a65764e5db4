import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { createOnce } from '../scripts/create-once.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'canvass-create-once-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs createOnce in a separate process, which appends a letter to a log when it creates the file. */
async function createInProcess(target: string, log: string): Promise<void> {
  const script = `
    import { appendFileSync, writeFileSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    import { createOnce } from ${JSON.stringify(path.resolve('scripts/create-once.ts'))}
    const [target, log] = process.argv.slice(-2)
    await createOnce(target, target + '.lock', async () => {
      appendFileSync(log, 'x')
      await pause(100)
      writeFileSync(target, '')
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, target, log], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}

describe('createOnce', () => {
  it('creates a file once if several processes need it at the same time', async () => {
    const [target, log] = [path.join(folder, 'shared'), path.join(folder, 'log')]
    await Promise.all([1, 2, 3, 4].map(() => createInProcess(target, log)))
    expect(readFileSync(log, 'utf8')).toBe('x')
  })

  it('passes an error on and lets the next caller try again', async () => {
    const [target, lock] = [path.join(folder, 'failing'), path.join(folder, 'failing.lock')]
    await expect(createOnce(target, lock, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
    await createOnce(target, lock, async () => writeFileSync(target, 'created'))
    expect(readFileSync(target, 'utf8')).toBe('created')
  })

  it('ignores the lock of a process that was killed', async () => {
    const [target, lock] = [path.join(folder, 'orphaned'), path.join(folder, 'orphaned.lock')]
    const child = spawn(process.execPath, ['--eval', ''])
    await once(child, 'exit')
    writeFileSync(lock, String(child.pid))
    await createOnce(target, lock, async () => writeFileSync(target, ''))
    expect(readFileSync(target, 'utf8')).toBe('')
  })
})
