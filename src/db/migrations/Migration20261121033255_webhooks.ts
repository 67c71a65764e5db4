import { Migration } from '@mikro-orm/migrations';

export class Migration20261121033255_webhooks extends Migration {

  override name = 'Migration20261121033255_webhooks';

  override up(): void | Promise<void> {
    this.addSql(`create table "webhook" ("id" bigserial primary key, "account_id" bigint not null, "event" text not null, "survey_id" bigint null, "collector_id" bigint null, "subscription_url" text not null, "secret" text not null, "previous_secret" text null, "previous_until" timestamptz null, "failures" int not null default 0, "disabled_at" timestamptz null, "disabled_reason" text null, "created_at" timestamptz not null);`);
    this.addSql(`create index "webhook_survey_id_index" on "webhook" ("survey_id");`);
    this.addSql(`create index "webhook_collector_id_index" on "webhook" ("collector_id");`);
    this.addSql(`create index "webhook_account_event_index" on "webhook" ("account_id", "event");`);
    this.addSql(`alter table "webhook" add constraint "webhook_account_url_key" unique ("account_id", "subscription_url");`);

    this.addSql(`alter table "webhook" add constraint "webhook_account_id_foreign" foreign key ("account_id") references "account" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook" add constraint "webhook_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook" add constraint "webhook_collector_id_foreign" foreign key ("collector_id") references "collector" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "webhook" cascade;`);
  }

}
