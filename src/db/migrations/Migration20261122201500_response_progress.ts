import { Migration } from '@mikro-orm/migrations'

/** Counts the responses of each segment by day and by page. The job `refresh-rollups` fills the table. */
export class Migration20261122201500_response_progress extends Migration {
  override name = 'Migration20261122201500_response_progress'

  override up(): void {
    this.addSql(`create table response_progress (
      survey_id bigint not null,
      segment_number integer not null,
      days date[] not null,
      started integer[] not null,
      complete integer[] not null,
      terminated integer[] not null,
      pages integer[] not null,
      submitted integer[] not null,
      stopped integer[] not null,
      primary key (survey_id, segment_number),
      constraint response_progress_segment_fkey foreign key (survey_id, segment_number)
        references response_segment (survey_id, number) on delete cascade
    );`)
    this.addSql(`comment on table response_progress is 'Numbers of responses of a segment. By day of the start, in UTC: started, complete, terminated. By page: submitted, and stopped, which counts incomplete responses whose last submitted page it is.';`)
  }

  override down(): void {
    this.addSql('drop table response_progress;')
  }
}
