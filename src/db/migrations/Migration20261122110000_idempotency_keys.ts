import { Migration } from '@mikro-orm/migrations'

/** Replies to requests with an Idempotency-Key, kept for a day. */
export class Migration20261122110000_idempotency_keys extends Migration {
  override name = 'Migration20261122110000_idempotency_keys'

  override up(): void {
    this.addSql(`create table idempotency_key (
      id bytea primary key,
      account_id bigint references account on delete cascade,
      fingerprint bytea not null,
      sealed text not null,
      created_at timestamptz not null
    );`)
    this.addSql('create index idempotency_key_account_id_index on idempotency_key (account_id);')
    this.addSql('create index idempotency_key_created_at_index on idempotency_key (created_at);')
    this.addSql(
      `comment on table idempotency_key is 'Replies to requests with an Idempotency-Key. id is the HMAC of account, operation and key; fingerprint that of path, query and body; sealed the encrypted reply.';`,
    )
  }

  override down(): void {
    this.addSql('drop table idempotency_key;')
  }
}
