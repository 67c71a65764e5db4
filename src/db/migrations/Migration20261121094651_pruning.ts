import { Migration } from '@mikro-orm/migrations'

/** Indexes expiring rows by their end, so that the purge job does not read the others. */
export class Migration20261121094651_pruning extends Migration {
  override name = 'Migration20261121094651_pruning'

  override up(): void {
    this.addSql('create index api_key_revoked_at_index on api_key (revoked_at) where revoked_at is not null;')
    this.addSql('create index account_link_expires_at_index on account_link (expires_at);')
    this.addSql('create index oauth_token_expires_at_index on oauth_token (expires_at);')
    this.addSql('alter table oauth_grant add ends_at timestamptz;')
    this.addSql(`update oauth_grant set ends_at = greatest(code_expires_at,
      (select max(expires_at) from oauth_token where grant_id = oauth_grant.id));`)
    this.addSql('alter table oauth_grant alter ends_at set not null;')
    this.addSql('create index oauth_grant_ends_at_index on oauth_grant (ends_at);')
    this.addSql(
      `comment on column oauth_grant.ends_at is 'When nothing of it works any longer: its code, or its last refresh token.';`,
    )
  }

  override down(): void {
    this.addSql('alter table oauth_grant drop column ends_at;')
    this.addSql('drop index oauth_token_expires_at_index, account_link_expires_at_index, api_key_revoked_at_index;')
  }
}
