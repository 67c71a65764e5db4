import { Migration } from '@mikro-orm/migrations'

/** Counts the messages to the mail server for the limits of the installation. */
export class Migration20261128110200_mail_pace extends Migration {
  override name = 'Migration20261128110200_mail_pace'

  override up(): void {
    this.addSql(`create table mail_pace (
      period text primary key,
      window_start timestamptz not null,
      used integer not null,
      learned integer,
      learned_until timestamptz
    );`)
    this.addSql(`comment on table mail_pace is 'Messages to the mail server in the present minute and hour, and the limit that the mail server has shown.';`)
  }

  override down(): void {
    this.addSql('drop table mail_pace;')
  }
}
