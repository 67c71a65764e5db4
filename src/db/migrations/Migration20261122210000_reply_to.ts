import { Migration } from '@mikro-orm/migrations'

/** Adds the address for replies to emails. */
export class Migration20261122210000_reply_to extends Migration {
  override name = 'Migration20261122210000_reply_to'

  override up(): void {
    this.addSql('alter table email add column reply_to text;')
  }

  override down(): void {
    this.addSql('alter table email drop column reply_to;')
  }
}
