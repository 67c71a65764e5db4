import { Migration } from '@mikro-orm/migrations'

/** Indexes the counts of wrong passwords by age, so that old ones can be deleted. */
export class Migration20261121050000_sign_in_age extends Migration {
  override name = 'Migration20261121050000_sign_in_age'

  override up(): void {
    this.addSql('create index sign_in_failure_at_index on sign_in_failure (at);')
  }

  override down(): void {
    this.addSql('drop index sign_in_failure_at_index;')
  }
}
