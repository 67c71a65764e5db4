import { Migration } from '@mikro-orm/migrations'

/** Adds the counts that readers of reports see who may not view responses. */
export class Migration20261128195500_report_publication extends Migration {
  override name = 'Migration20261128195500_report_publication'

  override up(): void {
    this.addSql(`create table report_publication (
      survey_id bigint not null references survey on delete cascade,
      population text not null,
      version integer not null,
      state jsonb not null,
      primary key (survey_id, population));`)
    this.addSql(
      `comment on table report_publication is 'Counts of reports for readers who may not view responses, in multiples of the threshold (docs/anonymity-threshold.md). Population: a digest of the filter. State: the counts with the number of responses, the threshold, and the ids of the responses whose texts are shown.';`,
    )
  }

  override down(): void {
    this.addSql('drop table report_publication;')
  }
}
