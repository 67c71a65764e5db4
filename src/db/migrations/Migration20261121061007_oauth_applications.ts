import { Migration } from '@mikro-orm/migrations';

export class Migration20261121061007_oauth_applications extends Migration {

  override name = 'Migration20261121061007_oauth_applications';

  override up(): void | Promise<void> {
    this.addSql(`create table "oauth_application" ("id" bigserial primary key, "owner_id" bigint not null, "client_id" text not null, "secret_hash" bytea not null, "name" text not null, "homepage" text not null, "callback" text not null, "description" text not null default '', "created_at" timestamptz not null);`);
    this.addSql(`create index "oauth_application_owner_id_index" on "oauth_application" ("owner_id");`);
    this.addSql(`alter table "oauth_application" add constraint "oauth_application_client_id_key" unique ("client_id");`);

    this.addSql(`alter table "oauth_application" add constraint "oauth_application_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "oauth_application" cascade;`);
  }

}
