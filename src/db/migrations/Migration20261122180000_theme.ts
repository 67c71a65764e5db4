import { Migration } from '@mikro-orm/migrations'

/** Adds the looks of accounts and surveys, with their logos. */
export class Migration20261122180000_theme extends Migration {
  override name = 'Migration20261122180000_theme'

  override up(): void {
    this.addSql(`create table theme (
      account_id bigint not null references account (id) on delete cascade,
      survey_id bigint references survey (id) on delete cascade,
      theme json not null,
      logo_digest text,
      logo_type text,
      logo bytea,
      unique nulls not distinct (account_id, survey_id)
    );`)
    this.addSql('create index theme_survey_id_idx on theme (survey_id);')
    this.addSql('create index theme_logo_digest_idx on theme (logo_digest);')
  }

  override down(): void {
    this.addSql('drop table theme;')
  }
}
