import { Migration } from '@mikro-orm/migrations'

/** Adds why sending an email has stopped. */
export class Migration20261128103700_email_hold extends Migration {
  override name = 'Migration20261128103700_email_hold'

  override up(): void {
    this.addSql('alter table email add column hold jsonb;')
    this.addSql(`comment on column email.hold is 'Why sending has stopped, until when, and the reply of the mail server; null: it has not stopped.';`)
  }

  override down(): void {
    this.addSql('alter table email drop column hold;')
  }
}
