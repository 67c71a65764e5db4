import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isLoopbackUrl } from '../../src/lib/network.ts'
import { queryNode } from './citus.ts'

/** Maximum time until a killed node has released its resources and accepts connections again, in milliseconds. */
const START_LIMIT_MS = 60_000

/** A node of a cluster on this machine. */
export interface LocalNode {
  /** Returns the process ID of the postmaster. */
  pid(): number
  /** Kills the postmaster and starts PostgreSQL again, which recovers. */
  kill(): Promise<void>
  /** Stops PostgreSQL and starts it again. */
  restart(mode: 'fast' | 'immediate'): Promise<void>
}

/**
 * Finds the files of a running node.
 * @param url any database of the node
 * @throws {Error} when the node is on another machine
 */
export async function localNode(url: string): Promise<LocalNode> {
  if (!isLoopbackUrl(url)) throw new Error(`${new URL(url).host} is on another machine, so it cannot be restarted`)
  const [settings] = await queryNode<{ data: string; bin: string }>(
    url,
    `select current_setting('data_directory') as data, (select setting from pg_config where name = 'BINDIR') as bin`,
  )
  const { data, bin } = settings!
  const { uid, gid } = statSync(data)
  const control = (...args: string[]) =>
    promisify(execFile)(path.join(bin, 'pg_ctl'), ['-D', data, '-l', path.join(data, 'restart.log'), '-w', ...args], {
      ...(process.getuid?.() === 0 && { uid, gid }),
      cwd: '/',
      // HOME is not set, so that the node looks for certificates and passwords in the home folder of the user that runs
      // it.
      env: { PATH: process.env.PATH },
    })
  const pid = () => Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    pid,
    async kill() {
      process.kill(pid(), 'SIGKILL')
      // The sessions of the killed node end shortly after the postmaster. Until they have ended, PostgreSQL cannot
      // start, because they still use its shared memory.
      for (const deadline = Date.now() + START_LIMIT_MS; ; await pause(500))
        try {
          await control('start')
          return
        } catch (error) {
          if (Date.now() > deadline) throw error
        }
    },
    restart: async (mode) => void (await control('-m', mode, 'restart')),
  }
}
