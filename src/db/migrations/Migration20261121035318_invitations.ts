import { Migration } from '@mikro-orm/migrations';

export class Migration20261121035318_invitations extends Migration {

  override name = 'Migration20261121035318_invitations';

  override up(): void | Promise<void> {
    this.addSql(`create table "invite" ("id" bigserial primary key, "survey_id" bigint not null, "collector_id" bigint not null, "contact_id" bigint null, "code" text not null, "email" text null, "name" text null, "created_at" timestamptz not null, "sent_at" timestamptz null, "viewed_at" timestamptz null, "bounced_at" timestamptz null, "used_on" date null);`);
    this.addSql(`create index "invite_contact_id_index" on "invite" ("contact_id");`);
    this.addSql(`create index "invite_survey_id_idx" on "invite" ("survey_id", "id");`);
    this.addSql(`create index "invite_collector_id_idx" on "invite" ("collector_id", "id");`);
    this.addSql(`create unique index invite_collector_contact_key on invite (collector_id, contact_id) where contact_id is not null;`);
    this.addSql(`alter table "invite" add constraint "invite_survey_code_key" unique ("survey_id", "code");`);

    this.addSql(`create table "email" ("id" bigserial primary key, "owner_id" bigint not null, "survey_id" bigint not null, "collector_id" bigint not null, "reminder_of" bigint null, "status" text not null, "sender" text not null, "subject" text not null, "message" text not null, "footer" text null, "scheduled_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`);
    this.addSql(`create index "email_owner_id_index" on "email" ("owner_id");`);
    this.addSql(`create index "email_survey_id_index" on "email" ("survey_id");`);
    this.addSql(`create index "email_collector_id_index" on "email" ("collector_id");`);

    this.addSql(`create table "email_message" ("id" bigserial primary key, "email_id" bigint not null, "contact_id" bigint null, "invite_id" bigint null, "state" text not null, "attempts" int not null default 0, "next_at" timestamptz null, "run" uuid null, "handed_at" timestamptz null, "sent_at" timestamptz null, "address" text null, "error" text null);`);
    this.addSql(`create index "email_message_contact_id_index" on "email_message" ("contact_id");`);
    this.addSql(`create index "email_message_invite_id_index" on "email_message" ("invite_id");`);
    this.addSql(`create index "email_message_state_idx" on "email_message" ("email_id", "state");`);
    this.addSql(`create index email_message_due_idx on email_message (email_id, next_at, id) where state = 'queued';`);
    this.addSql(`create index email_message_address_idx on email_message (lower(address), id) where address is not null;`);
    this.addSql(`alter table "email_message" add constraint "email_message_contact_key" unique ("email_id", "contact_id");`);

    this.addSql(`alter table "invite" add constraint "invite_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);
    this.addSql(`alter table "invite" add constraint "invite_collector_id_foreign" foreign key ("collector_id") references "collector" ("id") on delete cascade;`);
    this.addSql(`alter table "invite" add constraint "invite_contact_id_foreign" foreign key ("contact_id") references "contact" ("id") on delete set null;`);

    this.addSql(`alter table "email" add constraint "email_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);
    this.addSql(`alter table "email" add constraint "email_survey_id_foreign" foreign key ("survey_id") references "survey" ("id") on delete cascade;`);
    this.addSql(`alter table "email" add constraint "email_collector_id_foreign" foreign key ("collector_id") references "collector" ("id") on delete cascade;`);

    this.addSql(`alter table "email_message" add constraint "email_message_email_id_foreign" foreign key ("email_id") references "email" ("id") on delete cascade;`);
    this.addSql(`alter table "email_message" add constraint "email_message_contact_id_foreign" foreign key ("contact_id") references "contact" ("id") on delete set null;`);
    this.addSql(`alter table "email_message" add constraint "email_message_invite_id_foreign" foreign key ("invite_id") references "invite" ("id") on delete set null;`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop table email_message, email, invite;')
  }

}
