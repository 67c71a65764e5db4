import { Migration } from '@mikro-orm/migrations'

/** Adds the numbers of the questions of all versions of a survey. */
export class Migration20261128093500_question_numbers extends Migration {
  override name = 'Migration20261128093500_question_numbers'

  override up(): void {
    this.addSql('alter table survey add column question_numbers jsonb;')
    this.addSql(
      `comment on column survey.question_numbers is 'The numbers of the questions of all versions, by question ID; null: the questions are numbered in their order.';`,
    )
  }

  override down(): void {
    this.addSql('alter table survey drop column question_numbers;')
  }
}
