import { Migration } from '@mikro-orm/migrations'

/** Lets an email have a subject and a message in further languages. */
export class Migration20261128234500_email_translations extends Migration {
  override name = 'Migration20261128234500_email_translations'

  override up(): void {
    this.addSql('alter table email add column translations jsonb null;')
    this.addSql(
      `comment on column email.translations is 'The subject and the message in further languages, by language code.';`,
    )
  }

  override down(): void {
    this.addSql('alter table email drop column translations;')
  }
}
