import { Migration } from '@mikro-orm/migrations'

/** Adds the fingerprint of the secret key, so that a server with another key does not start. */
export class Migration20261128151500_secret_key extends Migration {
  override name = 'Migration20261128151500_secret_key'

  override up(): void {
    this.addSql(`create table secret_key (
      is_current boolean primary key default true check (is_current),
      fingerprint bytea);`)
    this.addSql(
      `comment on table secret_key is 'Fingerprint of the secret key: one row. Null: the next start stores that of its key.';`,
    )
  }

  override down(): void {
    this.addSql('drop table secret_key;')
  }
}
