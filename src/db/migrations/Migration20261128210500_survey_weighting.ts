import { Migration } from '@mikro-orm/migrations'

/** Adds the weights of responses. */
export class Migration20261128210500_survey_weighting extends Migration {
  override name = 'Migration20261128210500_survey_weighting'

  override up(): void {
    this.addSql('alter table survey add weighting jsonb;')
    this.addSql(
      `comment on column survey.weighting is 'How the weight of a response follows from its answers (src/domain/survey/weighting.ts); null: no weights.';`,
    )
  }

  override down(): void {
    this.addSql('alter table survey drop weighting;')
  }
}
