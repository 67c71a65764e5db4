import { Migration } from '@mikro-orm/migrations'

/** Submitted pages that were not accepted: their values are kept sealed for a day, to be shown again. */
export class Migration20261122040001_page_draft extends Migration {
  override name = 'Migration20261122040001_page_draft'

  override up(): void {
    this.addSql(`create table page_draft (
      hash bytea not null,
      survey_id bigint not null,
      key bytea not null,
      sealed text not null,
      expires_at timestamptz not null,
      constraint page_draft_pkey primary key (hash),
      constraint page_draft_survey_id_foreign foreign key (survey_id) references survey (id) on delete cascade
    );`)
    this.addSql('create index page_draft_survey_id_index on page_draft (survey_id);')
    this.addSql('create index page_draft_expires_at_index on page_draft (expires_at);')
  }

  override down(): void {
    this.addSql('drop table page_draft;')
  }
}
