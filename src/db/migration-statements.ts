import type { Migration } from '@mikro-orm/migrations'

/** What a migration sends to the database. */
export interface MigrationStatements {
  name: string
  statements: string[]
  /** Whether they run in one transaction. */
  isTransactional: boolean
}

/** Returns the statements of migrations. In the bundle, they are data (scripts/server.ts). */
export async function statementsOf(names: readonly string[]): Promise<MigrationStatements[]> {
  const all: MigrationStatements[] = []
  for (const name of names) {
    const module = (await import(`./migrations/${name}.ts`)) as Record<string, new () => Migration>
    const migration = new module[name]!()
    await migration.up()
    const statements = migration.getQueries().map(String)
    all.push({ name, statements, isTransactional: migration.isTransactional() })
  }
  return all
}
