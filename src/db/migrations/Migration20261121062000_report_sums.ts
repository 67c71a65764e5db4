import { Migration } from '@mikro-orm/migrations'

/**
 * Counts per chunk of a survey's responses, so that a report adds up some hundred rows instead of reading a million. They can
 * be rebuilt from the responses at any time.
 */
export class Migration20261121062000_report_sums extends Migration {
  override name = 'Migration20261121062000_report_sums'

  override up(): void {
    this.addSql(`create table response_summary (
      survey_id bigint primary key references survey (id) on delete cascade,
      generation integer not null default 1,
      seq bigint not null,
      last_id bigint not null,
      slots text[] not null
    );`)
    this.addSql(`comment on table response_summary is 'Up to which response (last_id) the sums of response_chunk go, and as of which number of the change feed (seq); slots names the counts.';`)
    this.addSql(`create table response_chunk (
      survey_id bigint not null references response_summary (survey_id) on delete cascade,
      number integer not null,
      last_id bigint not null,
      counts integer[] not null,
      primary key (survey_id, number)
    );`)
    this.addSql(`comment on table response_chunk is 'How many responses, after the chunk before and up to last_id, say each of the slots of response_summary.';`)
  }

  override down(): void {
    this.addSql('drop table response_chunk;')
    this.addSql('drop table response_summary;')
  }
}
