import { Migration } from '@mikro-orm/migrations'

/** Adds the addresses that have unsubscribed, which outlive their contacts. */
export class Migration20261128094500_unsubscribed_address extends Migration {
  override name = 'Migration20261128094500_unsubscribed_address'

  override up(): void {
    this.addSql(`create table unsubscribed_address (
      account_id bigint not null references account on delete cascade,
      digest bytea not null,
      primary key (account_id, digest));`)
    this.addSql(`comment on table unsubscribed_address is 'Addresses that have unsubscribed from the mail of an account, as keyed hashes.';`)
  }

  override down(): void {
    this.addSql('drop table unsubscribed_address;')
  }
}
