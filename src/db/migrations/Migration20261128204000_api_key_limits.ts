import { Migration } from '@mikro-orm/migrations'

/** Adds what limits an API key, and its last use. */
export class Migration20261128204000_api_key_limits extends Migration {
  override name = 'Migration20261128204000_api_key_limits'

  override up(): void {
    this.addSql(
      'alter table api_key add is_read_only boolean not null default false, add expires_at timestamptz, add used_at timestamptz;',
    )
    this.addSql(`comment on column api_key.expires_at is 'Null: the key does not expire.';`)
    this.addSql(`comment on column api_key.used_at is 'When the key was last used, with a delay of up to ten minutes.';`)
  }

  override down(): void {
    this.addSql('alter table api_key drop is_read_only, drop expires_at, drop used_at;')
  }
}
