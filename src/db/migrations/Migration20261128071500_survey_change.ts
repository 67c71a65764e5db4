import { Migration } from '@mikro-orm/migrations'

/** Adds the changes of surveys that the page about their stored data lists. */
export class Migration20261128071500_survey_change extends Migration {
  override name = 'Migration20261128071500_survey_change'

  readonly accepts = { 'change rows': 'fills the table that this migration creates' }

  override up(): void {
    this.addSql(`create table survey_change (
      id bigint generated always as identity primary key,
      survey_id bigint not null references survey on delete cascade,
      at timestamptz not null,
      kind text not null,
      detail jsonb not null default '{}');`)
    this.addSql('create index survey_change_survey_id_idx on survey_change (survey_id, id);')
    this.addSql(`comment on table survey_change is 'What the owner of a survey has changed: the page about the stored data shows it to respondents.';`)
    this.addSql(`insert into survey_change (survey_id, at, kind, detail)
      select survey_id, created_at, 'questions', jsonb_build_object('version', version) from survey_version where version > 1
      order by survey_id, version;`)
  }

  override down(): void {
    this.addSql('drop table survey_change;')
  }
}
