import { Migration } from '@mikro-orm/migrations'

/** A link can confirm a new email address of an account. */
export class Migration20261122070001_email_confirmation extends Migration {
  override name = 'Migration20261122070001_email_confirmation'

  override up(): void {
    this.addSql(`alter table account_link
      add column email text,
      drop constraint account_link_purpose_check,
      add constraint account_link_purpose_check check (purpose in ('sign_in', 'password', 'email'))`)
  }

  override down(): void {
    this.addSql(`delete from account_link where purpose = 'email'`)
    this.addSql(`alter table account_link
      drop column email,
      drop constraint account_link_purpose_check,
      add constraint account_link_purpose_check check (purpose in ('sign_in', 'password'))`)
  }
}
