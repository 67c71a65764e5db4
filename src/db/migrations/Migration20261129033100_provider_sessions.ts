import { Migration } from '@mikro-orm/migrations'

/** Adds the index with which a logout token finds sessions. */
export class Migration20261129033100_provider_sessions extends Migration {
  override name = 'Migration20261129033100_provider_sessions'

  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql('drop index concurrently if exists session_provider_subject_idx;')
    this.addSql(
      'create index concurrently session_provider_subject_idx on session (provider_subject) where provider_subject is not null;',
    )
  }

  override down(): void {
    this.addSql('drop index concurrently if exists session_provider_subject_idx;')
  }
}
