import { Migration } from '@mikro-orm/migrations';

export class Migration20261121045246_groups extends Migration {

  override name = 'Migration20261121045246_groups';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_group" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "account_group_owner_id_index" on "account_group" ("owner_id");`);

    this.addSql(`create table "group_member" ("group_id" bigint not null, "account_id" bigint not null, "roles" text[] not null, "created_at" timestamptz not null, primary key ("group_id", "account_id"));`);
    this.addSql(`create index "group_member_account_id_index" on "group_member" ("account_id");`);

    this.addSql(`create table "survey_group" ("survey_id" bigint not null, "group_id" bigint not null, primary key ("survey_id", "group_id"));`);
    this.addSql(`create index "survey_group_group_id_index" on "survey_group" ("group_id");`);

    this.addSql(`alter table "account_group" add constraint "account_group_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "group_member" add constraint "group_member_group_id_foreign" foreign key ("group_id") references "account_group" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "group_member" add constraint "group_member_account_id_foreign" foreign key ("account_id") references "account" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "survey_group" add constraint "survey_group_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "survey_group" add constraint "survey_group_group_id_foreign" foreign key ("group_id") references "account_group" ("id") on update cascade on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "group_member" drop constraint "group_member_group_id_foreign";`);
    this.addSql(`alter table "survey_group" drop constraint "survey_group_group_id_foreign";`);

    this.addSql(`drop table if exists "account_group" cascade;`);
    this.addSql(`drop table if exists "group_member" cascade;`);
    this.addSql(`drop table if exists "survey_group" cascade;`);
  }

}
