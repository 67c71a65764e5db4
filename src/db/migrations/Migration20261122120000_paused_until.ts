import { Migration } from '@mikro-orm/migrations'

/** Renames a column: a webhook is paused when its subscriber requests it (`Retry-After`). */
export class Migration20261122120000_paused_until extends Migration {
  override name = 'Migration20261122120000_paused_until'

  override up(): void {
    this.addSql('alter table webhook rename column resting_until to paused_until;')
  }

  override down(): void {
    this.addSql('alter table webhook rename column paused_until to resting_until;')
  }
}
