import { describe, expect, test } from '@jest/globals'
import type { Migration } from '@mikro-orm/migrations'
import { migrationNames } from '../../src/db/migrate.ts'
import { findViolations } from '../support/migration-rules.ts'

/**
 * The last migration that the rules do not apply to. An upgrade that runs this migration or an earlier one requires
 * that all servers are stopped.
 */
const LAST_FREE_MIGRATION = 'Migration20261122150000_draft_step_subject'

/** A migration. `accepts` contains each rule that the migration breaks, with the reason. */
interface CheckedMigration extends Migration {
  accepts?: Readonly<Record<string, string>>
}

async function load(name: string): Promise<CheckedMigration> {
  const file = await import(`../../src/db/migrations/${name}.ts`)
  return new file[name](undefined, undefined)
}

const rulesOf = (statements: string[], transactional = true) =>
  findViolations(statements, transactional).map(({ rule }) => rule)

describe('migrations', () => {
  test('run while the previous version serves requests, or state which rules they break and why (src/db/migrations/README.md)', async () => {
    const violations: Record<string, unknown> = {}
    for (const name of migrationNames.filter((each) => each > LAST_FREE_MIGRATION)) {
      const migration = await load(name)
      await migration.up()
      const found = findViolations(migration.getQueries().map(String), migration.isTransactional())
      const accepted = Object.keys(migration.accepts ?? {})
      const open = found.filter(({ rule }) => !accepted.includes(rule))
      const unneeded = accepted.filter((rule) => !found.some((violation) => violation.rule === rule))
      if (open.length || unneeded.length) violations[name] = { open, unneeded }
    }
    expect(violations).toEqual({})
  })

  test.each([
    ['create index a on survey (id)', ['create index']],
    ['create unique index a on survey (id)', ['create index']],
    ['alter table survey add column a text not null', ['add column not null']],
    ['alter table survey add column a uuid default gen_random_uuid()', ['add column with a rewrite']],
    ['alter table "survey" add "a" text generated always as (b) stored', ['add column with a rewrite']],
    ['alter table survey alter column a type bigint', ['alter column type']],
    ['alter table survey alter a set not null', ['set not null']],
    ['alter table survey add constraint a foreign key (b) references c (d)', ['add constraint']],
    ['alter table survey add constraint a check (b > 0)', ['add constraint']],
    ['alter table survey drop column a', ['drop']],
    ['drop table survey', ['drop']],
    ['alter table survey rename to a', ['rename']],
    ['update survey set a = 1', ['change rows']],
    ['lock table survey', ['lock']],
    [
      'create index concurrently a on survey (id)',
      ['concurrently in a transaction', 'concurrently without drop index'],
    ],
  ])('break a rule if they contain the statement: %s', (statement, rules) => {
    expect(rulesOf([statement])).toEqual(rules)
  })

  test('break no rule if they add to a table without blocking it, or change a table that they create', () => {
    const statements = [
      'alter table survey add column a text',
      `alter table survey add column b text not null default ''`,
      'alter table survey alter column epoch set default random()',
      'alter table survey add constraint c foreign key (b) references c (d) not valid',
      'alter table survey validate constraint c',
      'create table "note" (id bigint primary key)',
      'create index note_id on "note" (id)',
      'alter table note add constraint e foreign key (id) references survey (id)',
      `comment on table note is 'x'`,
    ]
    expect(rulesOf(statements)).toEqual([])
    const index = ['drop index concurrently if exists a', 'create index concurrently a on survey (id)']
    expect(rulesOf(index, false)).toEqual([])
  })
})
