import { Migration } from '@mikro-orm/migrations'

/** Adds files in buckets, and the queue of objects to delete. */
export class Migration20261123003000_file_store extends Migration {
  override name = 'Migration20261123003000_file_store'

  override up(): void {
    this.addSql('alter table uploaded_file add column store text;')
    this.addSql(`create table file_deletion (
      id bigserial primary key,
      store text not null,
      name text not null,
      uploading boolean not null default false,
      attempts int not null default 0,
      due_at timestamptz not null default now()
    );`)
    this.addSql('create index file_deletion_due_idx on file_deletion (due_at);')
    // Whatever deletes a file, its transaction also queues the object.
    this.addSql(`create function queue_file_deletion() returns trigger
      language plpgsql as $body$
      begin
        insert into file_deletion (store, name)
          select store, survey_id || '/' || key from deleted where store is not null;
        return null;
      end
      $body$;`)
    this.addSql(`create trigger uploaded_file_deleted after delete on uploaded_file
      referencing old table as deleted for each statement execute function queue_file_deletion();`)
  }

  override down(): void {
    this.addSql(`do $$ begin
      if exists (select from uploaded_file where store is not null) then
        raise exception 'Uploaded files are in buckets, which the previous version cannot read. Delete these files first.';
      end if;
    end $$;`)
    this.addSql('drop trigger uploaded_file_deleted on uploaded_file;')
    this.addSql('drop function queue_file_deletion();')
    this.addSql('drop table file_deletion;')
    this.addSql('alter table uploaded_file drop column store;')
  }
}
