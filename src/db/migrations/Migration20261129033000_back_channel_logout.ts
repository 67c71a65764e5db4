import { Migration } from '@mikro-orm/migrations'

/** Adds what a logout token of an OpenID provider needs: whom a session belongs to there, and tokens that work once. */
export class Migration20261129033000_back_channel_logout extends Migration {
  override name = 'Migration20261129033000_back_channel_logout'

  override up(): void {
    this.addSql('alter table session add provider_subject text, add provider_session text;')
    this.addSql(
      `comment on column session.provider_subject is 'The subject of the person at the OpenID provider; null: another sign-in, or one before this column.';`,
    )
    this.addSql(
      `comment on column session.provider_session is 'The session at the OpenID provider (sid); null: the provider sends none.';`,
    )
    this.addSql('create table used_token (hash bytea primary key, expires_at timestamptz not null);')
    this.addSql('create index used_token_expires_at_idx on used_token (expires_at);')
    this.addSql(
      `comment on table used_token is 'Digests of tokens that work once, until they expire: logout tokens of OpenID providers, and challenges of passkeys.';`,
    )
  }

  override down(): void {
    this.addSql('drop table used_token;')
    this.addSql('alter table session drop provider_subject, drop provider_session;')
  }
}
