import { Migration } from '@mikro-orm/migrations'

/** Adds the language and the time zone in which an account sees the pages. */
export class Migration20261123011500_account_locale extends Migration {
  override name = 'Migration20261123011500_account_locale'

  override up(): void {
    this.addSql('alter table account add column language text;')
    this.addSql('alter table account add column time_zone text;')
  }

  override down(): void {
    this.addSql('alter table account drop column time_zone;')
    this.addSql('alter table account drop column language;')
  }
}
