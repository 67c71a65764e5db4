import { Migration } from '@mikro-orm/migrations'

/** Adds drafts of structures, with the steps that undo and redo go through. */
export class Migration20261122140000_survey_draft extends Migration {
  override name = 'Migration20261122140000_survey_draft'

  override up(): void {
    this.addSql(`create table survey_draft (
      survey_id bigint primary key references survey (id) on delete cascade,
      step int not null,
      base_version int not null,
      author_id bigint references account (id) on delete set null,
      updated_at timestamptz not null
    );`)
    this.addSql('create index survey_draft_author_id_idx on survey_draft (author_id);')
    this.addSql(`create table survey_draft_step (
      survey_id bigint not null references survey_draft (survey_id) on delete cascade,
      step int not null,
      structure json not null,
      label text not null,
      primary key (survey_id, step)
    );`)
  }

  override down(): void {
    this.addSql('drop table survey_draft_step;')
    this.addSql('drop table survey_draft;')
  }
}
