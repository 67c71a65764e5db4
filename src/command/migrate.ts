import { readConfig } from '../config.ts'
import { openDatabase } from './database.ts'

/** `migrate`: migrates the database and exits. */
export async function run(): Promise<void> {
  const database = await openDatabase(readConfig())
  await database.stop()
  console.log('The database is up to date.')
}
