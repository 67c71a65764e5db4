import { Migration } from '@mikro-orm/migrations'

/** Adds the random code of a survey in its short link. */
export class Migration20261128071000_short_code extends Migration {
  override name = 'Migration20261128071000_short_code'

  accepts = { 'create index': 'the table is small, and the column is still empty' }

  override up(): void {
    this.addSql('alter table survey add column short_code text, add column has_computed_code boolean not null default false;')
    this.addSql('create unique index survey_short_code_key on survey (short_code);')
    this.addSql(`comment on column survey.short_code is 'Random code of the short link; null: a server of an earlier version created the survey.';`)
    this.addSql(`comment on column survey.has_computed_code is 'Whether short links with a code that was computed from the id were given out.';`)
  }

  override down(): void {
    this.addSql('alter table survey drop column short_code, drop column has_computed_code;')
  }
}
