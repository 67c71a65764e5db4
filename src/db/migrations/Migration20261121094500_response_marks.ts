import { Migration } from '@mikro-orm/migrations'

/**
 * Bitmaps: one bit per response of a chunk and predicate. Combined filters are counted by combining bitmaps, and reports with
 * filters read no responses. Existing chunks have no bitmaps; the job `seal-chunks` adds them.
 */
export class Migration20261121094500_response_marks extends Migration {
  override name = 'Migration20261121094500_response_marks'

  override up(): void {
    this.addSql('alter table response_chunk add column marked integer not null default 0;')
    this.addSql(`comment on column response_chunk.marked is 'How many of the slots of response_summary, from the first on, response_mark knows of this chunk.';`)
    this.addSql(`create table response_mark (
      survey_id bigint not null,
      number integer not null,
      slot integer not null,
      bits bit varying not null,
      primary key (survey_id, number, slot),
      foreign key (survey_id, number) references response_chunk (survey_id, number) on delete cascade
    );`)
    this.addSql(`comment on table response_mark is 'Which responses of a chunk, by id, say a slot (from 1, its place in response_summary): a bit each. None for slots that lists and reports do not combine.';`)
  }

  override down(): void {
    this.addSql('drop table response_mark;')
    this.addSql('alter table response_chunk drop column marked;')
  }
}
