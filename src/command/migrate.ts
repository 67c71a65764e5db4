import { readBackupSettings, readConfig } from '../config.ts'
import { undoMigrations } from '../db/migrate.ts'
import { openDatabase, openUnmigrated } from './database.ts'

interface MigrateOptions {
  undoAfter?: string
  acceptSecretKey?: boolean
}

/** `migrate`: migrates the database and exits. With `--undo-after`, undoes migrations instead. */
export async function run({ undoAfter, acceptSecretKey = false }: MigrateOptions): Promise<void> {
  if (undoAfter) return undo(undoAfter)
  const database = await openDatabase(readConfig(), { acceptsSecretKey: acceptSecretKey })
  await database.stop()
  console.log('The database is up to date.')
}

async function undo(last: string): Promise<void> {
  const database = await openUnmigrated(readBackupSettings())
  try {
    const undone = await undoMigrations(database.url, last, (line) => console.log(line))
    console.log(undone.length ? 'An earlier version can now use the database.' : 'There is nothing to undo.')
  } finally {
    await database.stop()
  }
}
