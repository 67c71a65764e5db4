import { Migration } from '@mikro-orm/migrations'

/** Stores the format of the messages to a webhook. */
export class Migration20261128130500_webhook_format extends Migration {
  override name = 'Migration20261128130500_webhook_format'

  override up(): void {
    this.addSql(`alter table webhook add column format text not null default 'form';`)
  }

  override down(): void {
    this.addSql('alter table webhook drop column format;')
  }
}
