import { Migration } from '@mikro-orm/migrations'

/** Adds the indexes of the list of users in the administration. */
export class Migration20261129002500_account_search extends Migration {
  override name = 'Migration20261129002500_account_search'

  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql('drop index concurrently if exists account_search_idx;')
    this.addSql(
      `create index concurrently account_search_idx on account using gin ((username || ' ' || email || ' ' || name) gin_trgm_ops);`,
    )
    this.addSql('drop index concurrently if exists account_administrator_idx;')
    this.addSql('create index concurrently account_administrator_idx on account (id) where is_administrator;')
    this.addSql('drop index concurrently if exists account_disabled_idx;')
    this.addSql('create index concurrently account_disabled_idx on account (id) where disabled_at is not null;')
  }

  override down(): void {
    for (const name of ['account_search_idx', 'account_administrator_idx', 'account_disabled_idx'])
      this.addSql(`drop index concurrently if exists ${name};`)
  }
}
