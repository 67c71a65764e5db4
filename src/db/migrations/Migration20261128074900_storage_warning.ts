import { Migration } from '@mikro-orm/migrations'

/** Adds the accounts that were told that their space for files is nearly full. */
export class Migration20261128074900_storage_warning extends Migration {
  override name = 'Migration20261128074900_storage_warning'

  override up(): void {
    this.addSql(`create table storage_warning (
      account_id bigint primary key references account on delete cascade,
      warned_at timestamptz not null);`)
    this.addSql(`comment on table storage_warning is 'When an account was last told that its files take 80 percent of its space.';`)
  }

  override down(): void {
    this.addSql('drop table storage_warning;')
  }
}
