import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import pg from 'pg'
import { makeExampleWorld } from '../sdk/example-world.ts'
import { runCanvass } from './run-canvass.ts'
import { temporaryFolder } from './temp-postgres.ts'
import { type Person, useWorld, type World } from './world.ts'

/** A world with rows in most tables, and commands that back up and restore it. */
export interface Backups {
  world: World
  owner: Person
  /** A folder for files, deleted after the tests. */
  folder: string
  /** Returns the path of a data folder that does not exist yet. */
  newFolder(): string
  /** Returns the URL of a database that does not exist yet; it is dropped after the tests. */
  newDatabase(): string
  /** Runs `canvass backup` on the database of the world. */
  backUp(target: string, settings?: Record<string, string>, ...options: string[]): ReturnType<typeof runCanvass>
  /** Runs `canvass restore`. */
  restore(target: string, settings: Record<string, string>, ...options: string[]): ReturnType<typeof runCanvass>
}

/** Runs a statement on a database. @returns the rows */
export async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Runs a statement on the database server of the tests. @returns the rows */
export const admin = (statement: string) => query(process.env.TEST_SERVER_URL!, statement)

/** Prepares a world before the tests of a file. Call it at the top of a test file. */
export function useBackups(): Backups {
  const world = useWorld()
  const databases: string[] = []
  const backups = { world } as Backups
  const newFolder = () => path.join(backups.folder, randomBytes(6).toString('hex'))
  Object.assign(backups, {
    newFolder,
    newDatabase: () => {
      const name = `b_${process.env.JEST_WORKER_ID}_${randomBytes(6).toString('hex')}`
      databases.push(name, `${name}_restore`, `${name}_replaced`)
      return Object.assign(new URL(process.env.TEST_SERVER_URL!), { pathname: `/${name}` }).href
    },
    backUp: (target: string, settings: Record<string, string> = {}, ...options: string[]) =>
      runCanvass(
        { DATABASE_URL: world.databaseUrl, SECRET_KEY: world.secretKey, DATA_DIR: newFolder(), ...settings },
        'backup',
        target,
        ...options,
      ),
    restore: (target: string, settings: Record<string, string>, ...options: string[]) =>
      runCanvass({ DATA_DIR: newFolder(), ...settings }, 'restore', target, ...options),
  } satisfies Partial<Backups>)
  beforeAll(async () => {
    backups.folder = temporaryFolder()
    backups.owner = await makeExampleWorld(world)
    // The answers contain characters that COPY escapes, and texts that could be read as NULL.
    for (const q3 of ['a\tb\nc\\d', '\\N', '', '"quoted", with a comma', 'é漢🙂'])
      await backups.owner.post('/api/v3/surveys/14/responses/', { json: { q3, _completed: 1 } })
    await world.runJobs('failures')
  }, 120_000)
  afterAll(async () => {
    for (const name of databases) await admin(`drop database if exists ${name} with (force)`)
    rmSync(backups.folder, { recursive: true })
  })
  return backups
}
