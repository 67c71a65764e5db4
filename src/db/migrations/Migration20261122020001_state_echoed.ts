import { Migration } from '@mikro-orm/migrations'

/**
 * Whether the identity system returned `state` at the sign-in. True for existing sessions, because earlier versions required
 * it.
 */
export class Migration20261122020001_state_echoed extends Migration {
  override name = 'Migration20261122020001_state_echoed'

  override up(): void {
    this.addSql('alter table respondent_session add column state_echoed boolean not null default true;')
  }

  override down(): void {
    this.addSql('alter table respondent_session drop column state_echoed;')
  }
}
