import { Migration } from '@mikro-orm/migrations'

/** What is a day old is deleted along with what a right password wipes. */
export class Migration20261121050000_sign_in_age extends Migration {
  override name = 'Migration20261121050000_sign_in_age'

  override up(): void {
    this.addSql('create index sign_in_failure_at_index on sign_in_failure (at);')
  }

  override down(): void {
    this.addSql('drop index sign_in_failure_at_index;')
  }
}
