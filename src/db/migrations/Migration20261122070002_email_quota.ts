import { Migration } from '@mikro-orm/migrations'

/** The number of messages that an account sends per day. */
export class Migration20261122070002_email_quota extends Migration {
  override name = 'Migration20261122070002_email_quota'

  override up(): void {
    this.addSql(`create table email_quota (
      account_id bigint not null references account on delete cascade,
      day date not null,
      messages bigint not null,
      primary key (account_id, day)
    )`)
  }

  override down(): void {
    this.addSql('drop table email_quota')
  }
}
