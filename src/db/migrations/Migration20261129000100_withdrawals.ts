import { Migration } from '@mikro-orm/migrations'

/** Counts the responses of a survey that their respondents have withdrawn. */
export class Migration20261129000100_withdrawals extends Migration {
  override name = 'Migration20261129000100_withdrawals'

  override up(): void {
    this.addSql('alter table survey add column withdrawals integer not null default 0;')
    this.addSql(`comment on column survey.withdrawals is 'The number of responses that their respondents have withdrawn.';`)
  }

  override down(): void {
    this.addSql('alter table survey drop column withdrawals;')
  }
}
