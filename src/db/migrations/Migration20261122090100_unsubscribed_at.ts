import { Migration } from '@mikro-orm/migrations';

/** The timeline of an invitation shows when its recipient unsubscribed. */
export class Migration20261122090100_unsubscribed_at extends Migration {

  override name = 'Migration20261122090100_unsubscribed_at';

  override up(): void | Promise<void> {
    this.addSql(`alter table "contact" add "unsubscribed_at" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "contact" drop column "unsubscribed_at";`);
  }

}
