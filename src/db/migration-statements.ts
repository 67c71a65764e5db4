import type { Migration } from '@mikro-orm/migrations'

/** Returns the statements of migrations. In the bundle, they are data (scripts/server.ts). */
export async function statementsOf(names: readonly string[]): Promise<string[]> {
  const statements: string[] = []
  for (const name of names) {
    const module = (await import(`./migrations/${name}.ts`)) as Record<string, new () => Migration>
    const migration = new module[name]!()
    await migration.up()
    statements.push(...migration.getQueries().map(String))
  }
  return statements
}
