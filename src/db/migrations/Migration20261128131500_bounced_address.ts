import { Migration } from '@mikro-orm/migrations'

/** Adds the addresses from which mail came back, which outlive their contacts. */
export class Migration20261128131500_bounced_address extends Migration {
  override name = 'Migration20261128131500_bounced_address'

  override up(): void {
    this.addSql(`create table bounced_address (
      account_id bigint not null references account on delete cascade,
      digest bytea not null,
      reason text not null,
      bounced_at timestamptz not null,
      primary key (account_id, digest));`)
    this.addSql(`comment on table bounced_address is 'Addresses from which the mail of an account came back, as keyed hashes.';`)
  }

  override down(): void {
    this.addSql('drop table bounced_address;')
  }
}
