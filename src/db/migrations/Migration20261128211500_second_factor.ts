import { Migration } from '@mikro-orm/migrations'

/** Adds the second factor of accounts. */
export class Migration20261128211500_second_factor extends Migration {
  override name = 'Migration20261128211500_second_factor'

  override up(): void {
    this.addSql(`create table second_factor (
      account_id bigint primary key references account on delete cascade,
      secret text not null,
      last_step bigint not null,
      recovery_codes bytea[] not null,
      created_at timestamptz not null);`)
    this.addSql(
      `comment on table second_factor is 'Accounts that sign in with a code of an app as well (TOTP, RFC 6238). The secret is sealed; a code of last_step or before has been used; recovery codes are digests of codes that each work once.';`,
    )
  }

  override down(): void {
    this.addSql('drop table second_factor;')
  }
}
