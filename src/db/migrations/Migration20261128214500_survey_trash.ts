import { Migration } from '@mikro-orm/migrations'

/** Adds the time at which a survey was moved to the trash. */
export class Migration20261128214500_survey_trash extends Migration {
  override name = 'Migration20261128214500_survey_trash'

  override up(): void {
    this.addSql('alter table survey add column deleted_at timestamptz;')
    this.addSql(
      `comment on column survey.deleted_at is 'When the survey was moved to the trash, from which it can be restored for 30 days; null: it was not.';`,
    )
  }

  override down(): void {
    this.addSql('alter table survey drop column deleted_at;')
  }
}
