import { Migration } from '@mikro-orm/migrations'

/** Adds what a step of a draft edits, so that automatic saves of the same question become one step. */
export class Migration20261122150000_draft_step_subject extends Migration {
  override name = 'Migration20261122150000_draft_step_subject'

  override up(): void {
    this.addSql('alter table survey_draft_step add column subject text;')
  }

  override down(): void {
    this.addSql('alter table survey_draft_step drop column subject;')
  }
}
