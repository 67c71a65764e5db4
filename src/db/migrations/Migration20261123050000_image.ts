import { Migration } from '@mikro-orm/migrations'

/** Adds the images of choices. */
export class Migration20261123050000_image extends Migration {
  override name = 'Migration20261123050000_image'

  override up(): void {
    // The key names the object in a bucket. It is random: an object can still be in the queue of deletions when the same image
    // is stored again.
    this.addSql(`create table image (
      digest text primary key,
      key text not null,
      type text not null,
      width int not null,
      height int not null,
      bytes bigint not null,
      content bytea,
      store text,
      check (num_nonnulls(content, store) = 1)
    );`)
    this.addSql('alter table image alter column content set storage external;')
    this.addSql(`create table image_use (
      id bigserial primary key,
      digest text not null references image (digest),
      survey_id bigint references survey (id) on delete cascade,
      template_id bigint references template (id) on delete cascade,
      is_kept boolean not null,
      created_at timestamptz not null,
      unique (survey_id, digest),
      unique (template_id, digest),
      check (num_nonnulls(survey_id, template_id) = 1)
    );`)
    this.addSql('create index image_use_digest_idx on image_use (digest);')
    this.addSql('create index image_use_not_kept_idx on image_use (created_at) where not is_kept;')
    // The transaction that deletes the last use of an image also deletes the image. The first statement waits for transactions
    // that add a use, or delete another one. The second statement sees their changes.
    this.addSql(`create function delete_unused_images() returns trigger
      language plpgsql as $body$
      begin
        perform from image where digest in (select digest from deleted) order by digest for update;
        delete from image where digest in (select digest from deleted)
          and not exists (select from image_use where image_use.digest = image.digest);
        return null;
      end
      $body$;`)
    this.addSql(`create trigger image_use_deleted after delete on image_use
      referencing old table as deleted for each statement execute function delete_unused_images();`)
    this.addSql(`create function queue_image_deletion() returns trigger
      language plpgsql as $body$
      begin
        insert into file_deletion (store, name)
          select store, 'images/' || key from deleted where store is not null;
        return null;
      end
      $body$;`)
    this.addSql(`create trigger image_deleted after delete on image
      referencing old table as deleted for each statement execute function queue_image_deletion();`)
  }

  override down(): void {
    this.addSql(`do $$ begin
      if exists (select from image where store is not null) then
        raise exception 'Images are in buckets, which the previous version cannot read. Delete these images first.';
      end if;
    end $$;`)
    this.addSql('drop table image_use;')
    this.addSql('drop table image;')
    this.addSql('drop function delete_unused_images();')
    this.addSql('drop function queue_image_deletion();')
  }
}
