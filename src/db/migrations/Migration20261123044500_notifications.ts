import { Migration } from '@mikro-orm/migrations'

/** Adds the emails about new responses that accounts ask for. */
export class Migration20261123044500_notifications extends Migration {
  override name = 'Migration20261123044500_notifications'

  override up(): void {
    this.addSql(`create table survey_notification (
      survey_id bigint not null references survey on delete cascade,
      account_id bigint not null references account on delete cascade,
      frequency text not null check (frequency in ('immediate', 'daily')),
      seq bigint not null,
      next_at timestamptz not null,
      primary key (survey_id, account_id));`)
    this.addSql('create index survey_notification_account_id_idx on survey_notification (account_id);')
    this.addSql(`comment on table survey_notification is 'The accounts that get emails about new responses to a survey. seq: the change of the feed up to which the account knows the responses. next_at: the earliest time of the next email.';`)
  }

  override down(): void {
    this.addSql('drop table survey_notification;')
  }
}
