import { Migration } from '@mikro-orm/migrations';

/**
 * The address book. The search column contains the name, the email address and the values of custom fields in lower
 * case, one per line, so that no match spans two values. Its index begins with the owner (btree_gin), so that searching
 * a small address book does not read a large one. The extensions btree_gin and pg_trgm are trusted, so creating them
 * requires no superuser.
 */
export class Migration20261121033119_contacts extends Migration {

  override name = 'Migration20261121033119_contacts';

  override up(): void | Promise<void> {
    this.addSql('create extension if not exists pg_trgm;')
    this.addSql('create extension if not exists btree_gin;')
    this.addSql(`create function contact_search(name text, email text, custom jsonb) returns text
      language sql immutable parallel safe
      return lower(name || chr(10) || email || coalesce((select string_agg(chr(10) || value, '') from jsonb_each_text(custom)), ''));`)
    this.addSql(`create table "contact" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null, "email" text not null, "unsubscribed" boolean not null default false, "custom" jsonb not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "search" text generated always as (contact_search(name, email, custom)) stored not null);`);
    this.addSql(`create index "contact_owner_id_idx" on "contact" ("owner_id", "id");`);
    this.addSql(`create unique index contact_owner_email_name_key on contact (owner_id, lower(email), name);`);
    this.addSql(`create index contact_search_idx on contact using gin (owner_id, search gin_trgm_ops);`);

    this.addSql(`create table "contact_field" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null);`);
    this.addSql(`alter table "contact_field" add constraint "contact_field_name_key" unique ("owner_id", "name");`);

    this.addSql(`create table "contact_list" ("id" bigserial primary key, "owner_id" bigint not null, "name" text not null, "color" text not null, "created_at" timestamptz not null);`);
    this.addSql(`create index "contact_list_owner_id_index" on "contact_list" ("owner_id");`);

    this.addSql(`create table "contact_list_member" ("list_id" bigint not null, "contact_id" bigint not null, primary key ("list_id", "contact_id"));`);
    this.addSql(`create index "contact_list_member_contact_id_index" on "contact_list_member" ("contact_id");`);

    this.addSql(`alter table "contact" add constraint "contact_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "contact_field" add constraint "contact_field_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "contact_list" add constraint "contact_list_owner_id_foreign" foreign key ("owner_id") references "account" ("id") on delete cascade;`);

    this.addSql(`alter table "contact_list_member" add constraint "contact_list_member_list_id_foreign" foreign key ("list_id") references "contact_list" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "contact_list_member" add constraint "contact_list_member_contact_id_foreign" foreign key ("contact_id") references "contact" ("id") on update cascade on delete cascade;`);

    // Finds the responses of a person, for the status of a contact and for erasure. Responses without an invitation are not in it.
    this.addSql(`create index response_invite_email_idx on response (survey_id, lower(invite_email)) where invite_email is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop index response_invite_email_idx;')
    this.addSql('drop table contact_list_member, contact_list, contact_field, contact;')
    this.addSql('drop function contact_search;')
  }

}
