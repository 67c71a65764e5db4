import { Migration } from '@mikro-orm/migrations'

/** Sessions of respondents who signed in at the identity system of a survey's owner. Their tokens are sealed. */
export class Migration20261121061500_respondent_sessions extends Migration {
  override name = 'Migration20261121061500_respondent_sessions'

  override up(): void {
    this.addSql(`create table respondent_session (
      hash bytea not null,
      collector_id bigint not null,
      endpoint text not null,
      tokens text not null,
      attempt smallint not null,
      created_at timestamptz not null,
      constraint respondent_session_pkey primary key (hash),
      constraint respondent_session_collector_id_foreign foreign key (collector_id) references collector (id) on delete cascade
    );`)
    this.addSql('create index respondent_session_collector_id_index on respondent_session (collector_id);')
    this.addSql('create index respondent_session_created_at_index on respondent_session (created_at);')
  }

  override down(): void {
    this.addSql('drop table respondent_session;')
  }
}
