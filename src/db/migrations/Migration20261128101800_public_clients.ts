import { Migration } from '@mikro-orm/migrations'

/**
 * Adds applications without a secret, further redirect URIs of an application, and the refresh token with which an
 * access token was issued. A refresh then shortens the access token of the same pair only.
 */
export class Migration20261128101800_public_clients extends Migration {
  override name = 'Migration20261128101800_public_clients'

  override up(): void {
    this.addSql(`alter table oauth_application
      add column is_public boolean not null default false,
      add column more_callbacks text[] not null default '{}';`)
    this.addSql('alter table oauth_token add column issued_with bytea;')
    this.addSql(`comment on column oauth_application.is_public is 'The application has no secret. Its secret_hash is the hash of a secret that no one knows.';`)
    this.addSql(`comment on column oauth_application.more_callbacks is 'The redirect URIs after the first, which is callback.';`)
    this.addSql(`comment on column oauth_token.issued_with is 'The hash of the refresh token that was issued with this access token; null: issued before this column existed.';`)
  }

  override down(): void {
    this.addSql('alter table oauth_token drop column issued_with;')
    this.addSql('alter table oauth_application drop column more_callbacks, drop column is_public;')
  }
}
