import { Migration } from '@mikro-orm/migrations'

/**
 * The complete responses that count towards each quota. The count of a quota is the number of its rows, so a response that is
 * deleted, reopened or edited releases its slot. Rows are written under the lock of the survey's feed.
 */
export class Migration20261121031500_quotas extends Migration {
  override name = 'Migration20261121031500_quotas'

  override up(): void {
    this.addSql(`create table response_quota (
      survey_id bigint not null,
      quota text not null,
      response_id bigint not null,
      primary key (survey_id, quota, response_id),
      foreign key (survey_id, response_id) references response (survey_id, id) on delete cascade
    );`)
    this.addSql(`create index response_quota_response on response_quota (survey_id, response_id);`)
    this.addSql(`comment on table response_quota is 'Places taken in quotas: one row a complete response and quota.';`)
  }

  override down(): void {
    this.addSql('drop table response_quota;')
  }
}
