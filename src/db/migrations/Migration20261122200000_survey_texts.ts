import { Migration } from '@mikro-orm/migrations'

/** Adds the texts with which owners replace texts of the service. */
export class Migration20261122200000_survey_texts extends Migration {
  override name = 'Migration20261122200000_survey_texts'

  override up(): void {
    this.addSql(`alter table survey add column texts json not null default '{}';`)
  }

  override down(): void {
    this.addSql('alter table survey drop column texts;')
  }
}
