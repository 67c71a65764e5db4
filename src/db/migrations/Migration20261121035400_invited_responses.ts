import { Migration } from '@mikro-orm/migrations'

/**
 * Allows one response per invite code and collector, unless the survey allows several responses, which are exempt from
 * the unique index. The second index finds the responses of a code. Neither index contains responses without a code.
 */
export class Migration20261121035400_invited_responses extends Migration {
  override name = 'Migration20261121035400_invited_responses'

  override up(): void {
    this.addSql('alter table response add column invite_once boolean not null default true;')
    this.addSql('drop index response_invite_key;')
    this.addSql(
      'create unique index response_invite_key on response (survey_id, collector_id, invite_code) where invite_code is not null and invite_once;',
    )
    this.addSql(
      'create index response_invite_code_idx on response (survey_id, invite_code) where invite_code is not null;',
    )
  }

  override down(): void {
    this.addSql('drop index response_invite_code_idx, response_invite_key;')
    this.addSql('alter table response drop column invite_once;')
    this.addSql(
      'create unique index response_invite_key on response (survey_id, collector_id, invite_code) where invite_code is not null;',
    )
  }
}
