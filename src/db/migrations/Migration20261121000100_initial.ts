import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000100_initial extends Migration {

  override name = 'Migration20261121000100_initial';

  override up(): void | Promise<void> {
    this.addSql(`create table "account" ("id" bigserial primary key, "username" text not null, "email" text not null, "name" text not null default '', "password_hash" text not null, "is_developer" boolean not null default false, "plan" text not null default 'standard', "created_at" timestamptz not null);`);
    this.addSql(`create unique index account_username_key on account (lower(username));`);
    this.addSql(`create unique index account_email_key on account (lower(email));`);

    this.addSql(`create table "api_key" ("id" bigserial primary key, "account_id" bigint not null, "hash" bytea not null, "hint" text not null, "created_at" timestamptz not null, "revoked_at" timestamptz null);`);
    this.addSql(`create index "api_key_account_id_index" on "api_key" ("account_id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_key" unique ("hash");`);

    this.addSql(`create table "survey" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null, "slug" text not null, "live" boolean not null default true, "structure" json not null, "version" int not null default 1, "revision" int not null default 1, "settings" jsonb not null, "tags" text[] not null default '{}', "created_at" timestamptz not null, "updated_at" timestamptz not null);`);
    this.addSql(`create index "survey_owner_id_idx" on "survey" ("owner_id", "id");`);
    this.addSql(`alter table "survey" add constraint "survey_owner_slug_key" unique ("owner_id", "slug");`);

    this.addSql(`create table "saved_filter" ("id" bigserial primary key, "survey_id" bigint not null, "name" text not null, "query" text not null, "created_at" timestamptz not null);`);
    this.addSql(`alter table "saved_filter" add constraint "saved_filter_name_key" unique ("survey_id", "name");`);

    this.addSql(`create table "report" ("id" bigserial primary key, "survey_id" bigint not null, "title" text not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "report_survey_id_index" on "report" ("survey_id");`);

    this.addSql(`create table "collector" ("id" bigserial primary key, "survey_id" bigint not null, "name" text not null, "live" boolean not null default true, "is_default" boolean not null default false, "settings" jsonb not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "collector_survey_id_index" on "collector" ("survey_id");`);
    this.addSql(`create unique index collector_default_key on collector (survey_id) where is_default;`);

    this.addSql(`create table "embed" ("id" bigserial primary key, "survey_id" bigint not null, "collector_id" bigint null, "kind" text not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "embed_survey_id_index" on "embed" ("survey_id");`);

    this.addSql(`create table "survey_version" ("survey_id" bigint not null, "version" int not null, "structure" json not null, "creator_id" bigint not null, "created_at" timestamptz not null, primary key ("survey_id", "version"));`);

    this.addSql(`create table "template" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null, "structure" json not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "template_owner_id_index" on "template" ("owner_id");`);

    this.addSql(`alter table "api_key" add constraint "api_key_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "survey" add constraint "survey_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "saved_filter" add constraint "saved_filter_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);

    this.addSql(`alter table "report" add constraint "report_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);

    this.addSql(`alter table "collector" add constraint "collector_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);

    this.addSql(`alter table "embed" add constraint "embed_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);
    this.addSql(`alter table "embed" add constraint "embed_collector_id_foreign" foreign key ("collector_id") references "collector" ("id") on delete cascade;`);

    this.addSql(`alter table "survey_version" add constraint "survey_version_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);
    this.addSql(`alter table "survey_version" add constraint "survey_version_creator_id_foreign" foreign key ("creator_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "template" add constraint "template_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);
  }

}
