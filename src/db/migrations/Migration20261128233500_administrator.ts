import { Migration } from '@mikro-orm/migrations'

/** Adds administrators and disabled accounts. */
export class Migration20261128233500_administrator extends Migration {
  override name = 'Migration20261128233500_administrator'

  override up(): void {
    this.addSql('alter table account add is_administrator boolean not null default false, add disabled_at timestamptz;')
    this.addSql(
      `comment on column account.is_administrator is 'Whether the account may open the administration (/administration/).';`,
    )
    this.addSql(
      `comment on column account.disabled_at is 'Since when the account cannot sign in, and its keys and applications do not work. Null: the account is enabled.';`,
    )
  }

  override down(): void {
    this.addSql('alter table account drop is_administrator, drop disabled_at;')
  }
}
