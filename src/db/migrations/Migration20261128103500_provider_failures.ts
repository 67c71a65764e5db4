import { Migration } from '@mikro-orm/migrations'

/** Adds the last failures of the identity provider of each survey, for the owner. */
export class Migration20261128103500_provider_failures extends Migration {
  override name = 'Migration20261128103500_provider_failures'

  override up(): void {
    this.addSql(`create table provider_failure (
      survey_id bigint not null references survey on delete cascade,
      number integer not null,
      step text not null,
      status integer,
      code text,
      description text,
      reason text not null,
      count integer not null default 1,
      first_at timestamptz not null,
      last_at timestamptz not null,
      constraint provider_failure_pkey primary key (survey_id, number)
    );`)
    this.addSql('create index provider_failure_last_at_index on provider_failure (last_at);')
    this.addSql(`comment on table provider_failure is 'The last failures of the identity provider of a survey. Respondents see the number and can quote it; equal failures share one row.';`)
  }

  override down(): void {
    this.addSql('drop table provider_failure;')
  }
}
