import { Migration } from '@mikro-orm/migrations'

/**
 * A random number for each change of a response. A cursor contains the number of the last change read: after a restore, the
 * feed counts the same sequence numbers again, with other epochs. Existing changes have none, so that no row is rewritten.
 */
export class Migration20261122060001_change_epoch extends Migration {
  override name = 'Migration20261122060001_change_epoch'

  override up(): void {
    this.addSql('alter table response_change add column epoch bigint;')
    // A separate statement: together with the new column, the default would rewrite the table.
    this.addSql('alter table response_change alter column epoch set default (random() * 9007199254740991)::bigint;')
    this.addSql(`comment on column response_change.epoch is 'Tells this change from another with the same number that is made after a restore; null before 2026-11-22.';`)
  }

  override down(): void {
    this.addSql('alter table response_change drop column epoch;')
  }
}
