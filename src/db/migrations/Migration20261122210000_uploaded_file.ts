import { Migration } from '@mikro-orm/migrations'

/** Adds the files that respondents upload, in parts. */
export class Migration20261122210000_uploaded_file extends Migration {
  override name = 'Migration20261122210000_uploaded_file'

  override up(): void {
    // As responses, files have no foreign key to the survey: it would lock the row of the survey.
    this.addSql(`create table uploaded_file (
      survey_id bigint not null,
      key text not null,
      question_id text not null,
      response_id bigint,
      response_key bytea,
      name text not null,
      type text not null,
      bytes bigint not null,
      created_at timestamptz not null,
      primary key (survey_id, key)
    );`)
    this.addSql('create index uploaded_file_response_idx on uploaded_file (survey_id, response_id);')
    this.addSql('create index uploaded_file_unused_idx on uploaded_file (created_at) where response_id is null;')
    this.addSql(`create table uploaded_file_chunk (
      survey_id bigint not null,
      key text not null,
      number int not null,
      content bytea not null,
      primary key (survey_id, key, number),
      foreign key (survey_id, key) references uploaded_file (survey_id, key) on delete cascade
    );`)
    // Most files are compressed already.
    this.addSql('alter table uploaded_file_chunk alter column content set storage external;')
  }

  override down(): void {
    this.addSql('drop table uploaded_file_chunk, uploaded_file;')
  }
}
