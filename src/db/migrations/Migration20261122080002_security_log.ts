import { Migration } from '@mikro-orm/migrations'

/** The security log: a chain of entries for each account, and one for the installation (account 0), which outlives accounts. */
export class Migration20261122080002_security_log extends Migration {
  override name = 'Migration20261122080002_security_log'

  override up(): void {
    this.addSql(`create table security_chain (
      account_id bigint primary key,
      seq bigint not null,
      hash bytea not null,
      base_seq bigint not null,
      base_hash bytea not null,
      base_mac bytea not null
    );`)
    this.addSql(
      `comment on table security_chain is 'The head of each chain, and after which entry it begins since old entries were removed.';`,
    )
    this.addSql(`create table security_event (
      account_id bigint not null,
      seq bigint not null,
      at timestamptz not null,
      kind text not null,
      details text not null,
      network text not null,
      hash bytea not null,
      primary key (account_id, seq)
    );`)
    this.addSql('create index security_event_kind_index on security_event (account_id, kind, at);')
    this.addSql('create index security_event_at_index on security_event using brin (at);')
    this.addSql(
      `comment on table security_event is 'What happened to the security of accounts. hash is keyed with the secret of the installation and covers the entry and the hash before it; details is JSON text, byte for byte as it was hashed.';`,
    )
  }

  override down(): void {
    this.addSql('drop table security_event, security_chain;')
  }
}
